// The callers that each rule rejects most often, with the state of their buckets.

import { Table } from '/common/table.js';
import { confirmed } from './dialog.js';
import * as editor from './editor.js';
import * as endpoints from './endpoints.js';
import * as keys from './keys.js';
import { announce } from './news.js';
import * as overrides from './overrides.js';
import { Section } from './section.js';
import { duration, time } from './words.js';

const MOST = 10;

const section = new Section('offenders');
const table = new Table(section.element.querySelector('table'), ({ rule, key }) => `${rule.id} ${key}`,
  [({ rule, key }) => keys.lines(rule, key), ofRule, rejections, bucket], actions);

let changed;

/** Calls a function after each change. */
export function whenChanged(callback) {
  changed = callback;
}

/** Reads the offenders of the rules that have rejected requests. A candidate rejects nothing. */
export async function refresh(rules, signal) {
  const rejecting = rules.filter(({ totals, candidateOf }) =>
    !candidateOf && (totals.rejected || totals['shadow-rejected']));
  try {
    const lists = await Promise.all(rejecting.map(({ id }) => endpoints.offenders(id, signal)));
    const offenders = lists.flatMap((list, i) => list.offenders.slice(0, MOST)
      .map((offender) => ({ rule: rejecting[i], shadow: list.mode === 'shadow', ...offender })));
    table.show(offenders.sort((one, other) => other.atMost - one.atMost));
    section.loaded(offenders.length, 'No rule has rejected a request in this hour and the one before.');
  }
  catch (failure) {
    signal.throwIfAborted();
    section.failed(failure);
  }
}

function ofRule({ rule, shadow }) {
  return shadow ? [rule.id, { text: 'in shadow mode now', kind: 'muted' }] : [rule.id];
}

function rejections({ atLeast, atMost }) {
  return [atLeast === atMost ? `${atMost}` : `${atLeast} to ${atMost}`];
}

function bucket({ rule, key, bucket: state }) {
  const own = overrides.of(keys.targetOf(rule, key), rule.id)
    .map(({ id }) => ({ text: `override ${id}`, kind: 'muted' }));
  if (!state) {
    return ['unknown', ...own];
  }
  const level = `${state.permits} of ${state.capacity} permits`;
  if (state.bannedUntil) {
    return [{ text: `banned until ${time(state.bannedUntil)}`, kind: 'bad' }, ...own];
  }
  return [level, ...(state.empty && state.nextPermitIn ? [{ text: `next one in ${duration(state.nextPermitIn)}`, kind: 'muted' }] : []), ...own];
}

function actions({ rule, key, bucket: state }) {
  const target = keys.targetOf(rule, key);
  const of = `${keys.line(rule, key)}, under ${rule.id}`;
  const reset = state ? [{ label: 'Reset', of, run: () => confirmReset(rule, key, of) }] : [];
  if (!target) {
    return [...reset, { label: reason(rule, key) }];
  }
  const prefilled = { user: target.user, address: target.address, key: target.key, rules: [rule.id] };
  const block = {
    label: 'Block',
    of,
    run: () => editor.open('Block a caller', { ...prefilled, id: name('block', target), blocked: true }),
  };
  // The address of an anonymous caller under a rule for users can be blocked, but it cannot have a limit of its own.
  const limit = {
    label: 'Other limit',
    of,
    run: () => editor.open('Another limit', { ...prefilled, id: name('limit', target) }),
  };
  return target.instead ? [block, ...reset] : [block, limit, ...reset];
}

function reason(rule, key) {
  return keys.isHashed(rule, key) ? 'The key is hashed, so it does not identify a caller for an override.'
    : 'All callers share the bucket.';
}

function confirmReset(rule, key, of) {
  confirmed('Reset the bucket?', `The bucket of ${of} is full again, and its ban is lifted.`, 'Reset', async () => {
    await endpoints.reset(rule.id, key);
    announce(`The bucket of ${of} is reset.`);
    changed();
  });
}

/** The name of an override from the value of its target, with the characters that a name may have. */
function name(prefix, { user, address, key }) {
  const value = user ?? address ?? key.join('-');
  return `${prefix}-${value.replaceAll(/[^\w.-]+/g, '-')}`.slice(0, 100).replace(/-+$/, '');
}
