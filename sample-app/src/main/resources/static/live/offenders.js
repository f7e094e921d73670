// The keys that the rules of this page reject most often. They are read only while the table is open.

import * as server from './server.js';

const MOST = 5;

const details = document.getElementById('offenders');
const rows = details.querySelector('tbody');
const rules = [...new Set([...document.querySelectorAll('[data-rule]')].map((element) => element.dataset.rule))];

/** Calls a function when the user opens or closes the table. */
export function whenOpened(callback) {
  details.addEventListener('toggle', callback);
}

/** Reads the keys, and shows them. */
export async function refresh(signal) {
  if (details.open) {
    const lists = await Promise.all(rules.map((rule) => server.offenders(rule, signal)));
    show(lists.flatMap((offenders, i) => offenders.slice(0, MOST).map((offender) => cells(rules[i], offender))));
  }
}

function cells(rule, { key, atLeast, atMost }) {
  return [rule, key, atLeast === atMost ? `${atMost}` : `${atLeast} to ${atMost}`];
}

/** Updates the table only if it changes, since a user may be reading it. */
function show(lines) {
  const shown = JSON.stringify(lines);
  if (rows.dataset.shown !== shown) {
    rows.dataset.shown = shown;
    rows.replaceChildren(...lines.map(row));
  }
}

/** Keys may be client-supplied text: they are added as text, and their writing direction does not affect others. */
function row(texts) {
  const row = document.createElement('tr');
  texts.forEach((text) => {
    const isolated = document.createElement('bdi');
    isolated.textContent = text;
    row.insertCell().append(isolated);
  });
  return row;
}
