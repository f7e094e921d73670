// The overrides of single callers.

import { Table } from '/common/table.js';
import { confirmed } from './dialog.js';
import * as editor from './editor.js';
import * as endpoints from './endpoints.js';
import { announce } from './news.js';
import { Section } from './section.js';
import { limit, target, time } from './words.js';

const section = new Section('overrides');
const table = new Table(section.element.querySelector('table'), ({ id }) => id,
  [name, (override) => [target(override)], effect, until, ({ origin }) => [{ text: origin, kind: 'muted' }]], actions);
const add = document.getElementById('add');

let overrides = [];
let changed;

/** Calls a function after each change. */
export function whenChanged(callback) {
  changed = callback;
  editor.whenSaved(callback);
  add.addEventListener('click', () => editor.open('New override', {}));
}

export async function refresh(signal) {
  try {
    const list = await endpoints.overrides(signal);
    ({ overrides } = list);
    editor.useNames(overrides.map(({ id }) => id));
    table.show(overrides);
    section.loaded(list.total, 'No caller has an override.');
    add.disabled = false;
  }
  catch (failure) {
    signal.throwIfAborted();
    section.failed(failure);
  }
}

/** The active overrides of exactly this target, for a rule. */
export function of(caller, rule) {
  return caller ? overrides.filter((override) => !override.ended && target(override) === target(caller)
    && (override.rules.length === 0 || override.rules.includes(rule))) : [];
}

function name({ id, reason }) {
  return reason ? [id, { text: reason, kind: 'muted' }] : [id];
}

function effect({ blocked, unlimited, rules, limits }) {
  const which = rules.length ? rules.join(', ') : 'all rules';
  if (blocked || unlimited) {
    const word = blocked ? 'blocked' : 'unlimited';
    return [{ text: word, kind: `chip ${word}` }, { text: which, kind: 'muted' }];
  }
  return Object.entries(limits).flatMap(([rule, other]) => [limit(other), { text: rule, kind: 'muted' }]);
}

function until({ until: end, ended }) {
  return [end ? `${ended ? 'ended at ' : ''}${time(end)}` : 'no end'];
}

function actions(override) {
  const of = override.id;
  return [
    { label: 'Edit', of, run: () => editor.open(`Override ${of}`, override) },
    { label: 'Remove', of, run: () => remove(override) },
  ];
}

function remove(override) {
  confirmed(`Remove override ${override.id}?`,
    `The limits of the rules apply to ${target(override)} again, for the next request.`,
    'Remove', async () => {
      await endpoints.removeOverride(override.id);
      announce(`Override ${override.id} is removed.`);
      changed();
    });
}
