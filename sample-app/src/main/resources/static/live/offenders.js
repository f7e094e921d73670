// The keys that the rules of this page reject most often. They are read only while the table is open.

import { Table } from '/common/table.js';
import * as server from './server.js';

const MOST = 5;

const details = document.getElementById('offenders');
const rules = [...new Set([...document.querySelectorAll('[data-rule]')].map((element) => element.dataset.rule))];
const table = new Table(details.querySelector('table'), ({ rule, key }) => `${rule} ${key}`,
  [({ rule }) => [rule], ({ key }) => [key], rejections]);

/** Calls a function when the user opens or closes the table. */
export function whenOpened(callback) {
  details.addEventListener('toggle', callback);
}

/** Reads the keys, and shows them. */
export async function refresh(signal) {
  if (details.open) {
    const lists = await Promise.all(rules.map((rule) => server.offenders(rule, signal)));
    table.show(lists.flatMap((list, i) => list.slice(0, MOST).map((offender) => ({ rule: rules[i], ...offender }))));
  }
}

function rejections({ atLeast, atMost }) {
  return [atLeast === atMost ? `${atMost}` : `${atLeast} to ${atMost}`];
}
