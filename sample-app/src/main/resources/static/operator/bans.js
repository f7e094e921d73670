// The current bans. They are not read with the other sections, because with Redis the list is a search of all keys.

import { Table } from '/common/table.js';
import { confirmed } from './dialog.js';
import * as endpoints from './endpoints.js';
import * as keys from './keys.js';
import { announce } from './news.js';
import { Section } from './section.js';
import { ordinal, time } from './words.js';

const section = new Section('bans');
const table = new Table(section.element.querySelector('table'), ({ rule, key }) => `${rule.id} ${key}`,
  [({ rule, key }) => keys.lines(rule, key), ({ rule }) => [rule.id], until], actions);
const again = document.getElementById('read-bans');
const when = document.getElementById('bans-read');

let rules = [];
let changed;
let reads = 0;
let reading = false;

/** Calls a function after each change. */
export function whenChanged(callback) {
  changed = callback;
  again.addEventListener('click', refresh);
}

/** Receives the current rules. Bans are read at first, and when the rules that have bans have changed. */
export function useRules(current) {
  const banning = current.filter(({ ban }) => ban);
  const ids = (list) => list.map(({ id }) => id).join();
  const stale = ids(banning) !== ids(rules) || !when.textContent;
  rules = banning;
  if (stale && !reading) {
    refresh();
  }
}

/** If there are several reads at the same time, the result of the last one is shown. */
async function refresh() {
  const number = ++reads;
  const read = rules;
  reading = true;
  try {
    const lists = await Promise.all(read.map(({ id }) => endpoints.bans(id)));
    if (number === reads) {
      show(read, lists);
    }
  }
  catch (failure) {
    section.failed(failure);
  }
  reading = number !== reads;
}

function show(read, lists) {
  const bans = lists.flatMap((list, i) => list.bans.map((ban) => ({ rule: read[i], ...ban })));
  table.show(bans);
  section.loaded(bans.length, read.length ? 'No caller is banned.' : 'No rule bans callers.');
  when.textContent = `Read at ${new Date().toLocaleTimeString()}`;
}

function until({ until: end, number }) {
  return [time(end), { text: `${ordinal(number)} ban in a row`, kind: 'muted' }];
}

function actions({ rule, key }) {
  const of = keys.line(rule, key);
  return [{ label: 'Lift', of: `the ban of ${of}`, run: () => lift(rule, key, of) }];
}

function lift(rule, key, of) {
  confirmed('Lift the ban?',
    `Rule ${rule.id} allows ${of} again. The bucket is reset, and earlier rejections are no longer counted.`,
    'Lift the ban', async () => {
      await endpoints.reset(rule.id, key);
      announce(`The ban of ${of} is lifted.`);
      refresh();
      changed();
    });
}
