// The mode of all rules, the last reload, and the store.

import { confirmed } from './dialog.js';
import * as endpoints from './endpoints.js';
import { announce } from './news.js';
import { problems } from './problems.js';
import { time } from './words.js';

const SET_HERE = 'management endpoint';

const element = (id) => document.getElementById(id);
const [stop, enforce, configured, reload] = ['stop', 'enforce', 'configured', 'reload'].map(element);

/** Calls a function after each change. */
export function whenChanged(changed) {
  stop.addEventListener('click', () => confirmed('Stop all rejections?',
    'No rule of this instance rejects requests until you enforce the rules again, or the instance stops. Requests are '
      + 'still counted.',
    'Stop all rejections', () => set('shadow', 'All rejections are stopped on this instance.', changed)));
  enforce.addEventListener('click', () => confirmed('Enforce the rules?',
    'Each rule of this instance has its own mode, although the configuration stops all rejections.',
    'Enforce the rules', () => set('enforce', 'The rules are enforced on this instance.', changed)));
  configured.addEventListener('click', () => confirmed('Use the configured mode?',
    'This instance then has the mode that the configuration and the rule sources set.',
    'Use the configured mode', () => set('configured', 'The mode is the configured one.', changed)));
  reload.addEventListener('click', () => readAgain(changed));
}

async function set(mode, done, changed) {
  await endpoints.setMode(mode);
  announce(done);
  changed();
}

async function readAgain(changed) {
  try {
    const result = await endpoints.reload();
    announce(`Reload of the rules: ${OUTCOMES[result.outcome] ?? result.outcome}.`);
  }
  catch (failure) {
    announce(`The rules were not reloaded. ${failure.message}`);
  }
  changed();
}

const OUTCOMES = {
  replaced: 'the new rules are active',
  unchanged: 'no rule has changed',
  invalid: 'the rules are not valid, so the previous ones remain active',
  unavailable: 'a source cannot be read, so what it has returned before remains active',
};

export function show({ mode, reload: last, store, since, rules }) {
  const shadow = mode.value === 'shadow';
  element('overview').classList.toggle('shadow', shadow);
  write('mode', shadow ? 'No rule rejects requests' : 'Rules are enforced');
  write('mode-origin', `${mode.value}, set by: ${mode.origin}`);
  replaceFocus([stop, enforce, configured], () => {
    stop.hidden = shadow;
    enforce.hidden = !shadow || mode.origin === SET_HERE;
    configured.hidden = mode.origin !== SET_HERE;
  });
  write('count', `${rules.length} active`);
  write('read', `Read at ${time(last.at)}: ${OUTCOMES[last.outcome] ?? last.outcome}`);
  const list = element('reload-problems');
  if (list.textContent !== last.problems.join('')) {
    problems(list, last.problems);
  }
  write('store', `${store.name}, ${store.reachable ? 'reachable' : 'not reachable'}`);
  element('store').classList.toggle('bad', !store.reachable);
  write('since', `Requests are counted since ${time(since)}`);
}

/** If the focused button disappears, another button receives the focus. */
function replaceFocus(buttons, change) {
  const focused = buttons.includes(document.activeElement);
  change();
  if (focused && document.activeElement.hidden) {
    buttons.find((button) => !button.hidden)?.focus();
  }
}

function write(id, text) {
  if (element(id).textContent !== text) {
    element(id).textContent = text;
  }
}
