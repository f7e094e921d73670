// Asks for a confirmation. The dialog stays open if the action fails, and shows why.

import { problems } from './problems.js';

const dialog = document.getElementById('confirmation');
const [title, text, list, cancel, confirm] = ['h2', 'p', '.problems', '.cancel', '.confirm']
  .map((selector) => dialog.querySelector(selector));

let action;

cancel.addEventListener('click', () => dialog.close());
confirm.addEventListener('click', run);

/** Runs the action if the operator confirms it. */
export function confirmed(question, explanation, label, confirmedAction) {
  title.textContent = question;
  text.textContent = explanation;
  confirm.textContent = label;
  problems(list, []);
  action = confirmedAction;
  dialog.showModal();
}

/**
 * Runs the action. A second click while it runs has no effect. If another action has been offered since, the dialog belongs to
 * the new action.
 */
async function run() {
  const running = action;
  if (!running) {
    return;
  }
  action = undefined;
  try {
    await running();
    if (!action) {
      dialog.close();
    }
  }
  catch (failure) {
    if (!action) {
      action = running;
      problems(list, failure.problems);
    }
  }
}
