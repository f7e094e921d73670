// Reads the state from the management endpoints while the page is visible.

import * as bans from './bans.js';
import * as endpoints from './endpoints.js';
import * as offenders from './offenders.js';
import * as overrides from './overrides.js';
import * as overview from './overview.js';
import * as editor from './editor.js';
import * as rules from './rules.js';

const PAUSE = 5000;

const connection = document.getElementById('connection');

let timer;
let reading = new AbortController();

[overview, offenders, overrides, bans].forEach((part) => part.whenChanged(poll));
document.addEventListener('visibilitychange', poll);
poll();

/** Reads the state repeatedly. After a change, and when the user returns to the page, a read begins at once. */
async function poll() {
  clearTimeout(timer);
  reading.abort();
  if (document.hidden) {
    return;
  }
  const { signal } = reading = new AbortController();
  try {
    const list = await endpoints.rules(signal);
    overview.show(list);
    rules.show(list.rules);
    editor.useRules(list.rules);
    bans.useRules(list.rules);
    await overrides.refresh(signal);
    await offenders.refresh(list.rules, signal);
    reached('');
  }
  catch (failure) {
    if (!signal.aborted) {
      reached(`${failure.message} What this page shows may be out of date. It tries again every few seconds.`);
    }
  }
  if (!signal.aborted) {
    timer = setTimeout(poll, PAUSE);
  }
}

/** Shows why the rules cannot be read. The values that were read before stay on the page. */
function reached(problem) {
  document.body.classList.toggle('away', problem !== '');
  if (connection.textContent !== problem) {
    connection.textContent = problem;
  }
  if (problem) {
    document.querySelectorAll('section[aria-busy=true] .state').forEach((state) => state.textContent = 'Not loaded.');
  }
}
