// The form for an override. The server checks the values: its problems are shown at their fields, and nothing is lost.

import * as endpoints from './endpoints.js';
import { announce } from './news.js';
import { problems } from './problems.js';

/** The end of a problem has the property and its place: "Correct rules[1] (management endpoint)." */
const PROPERTY = /\b(rules|user|address|key|rate|burst|until|reason)(?:\[\d+\])? \(/g;

const MINUTE = 60_000;

const dialog = document.getElementById('editor');
const form = dialog.querySelector('form');
const { elements } = form;
const title = dialog.querySelector('h2');
const general = dialog.querySelector('.general');
const choices = document.getElementById('rules-choice');

let saved;
let editing;
let names = [];
let ids = [];
let sending = false;

form.addEventListener('submit', save);
form.addEventListener('change', showParts);
dialog.querySelector('.cancel').addEventListener('click', () => dialog.close());
dialog.querySelectorAll('[data-hours]').forEach((button) => button.addEventListener('click', () => {
  elements.until.value = button.dataset.hours === '0' ? '' : local(inHours(button.dataset.hours));
}));
document.getElementById('zone').textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Calls a function when an override is saved. */
export function whenSaved(callback) {
  saved = callback;
}

/** The ids of all overrides: a new one must not replace one of them. */
export function useNames(all) {
  names = all;
}

/** The ids of the rules that an override can name. A candidate has the overrides of its rule. */
export function useRules(rules) {
  ids = rules.filter(({ candidateOf }) => !candidateOf).map(({ id }) => id);
}

/** Opens the form with the values of an override. An override with an origin exists already, so its name cannot change. */
export function open(heading, override) {
  editing = override.origin !== undefined;
  title.textContent = heading;
  form.reset();
  fill(override);
  report([]);
  showParts();
  dialog.showModal();
  (editing ? elements.reason : elements.id.value ? form.querySelector('.save') : elements.id).focus();
}

function fill({ id = '', user, address, key, rules = [], limits = {}, blocked, unlimited, until, reason = '' }) {
  elements.id.value = id;
  elements.id.readOnly = editing;
  elements.target.value = key ? 'key' : address ? 'address' : 'user';
  elements.user.value = user ?? '';
  elements.address.value = address ?? '';
  elements.key.value = key?.join('\n') ?? '';
  choose(rules);
  elements.effect.value = blocked ? 'blocked' : unlimited ? 'unlimited' : 'limit';
  const [{ rate = '', burst = '' } = {}] = Object.values(limits);
  elements.rate.value = rate;
  elements.burst.value = burst;
  elements.until.value = until ? local(new Date(until)) : '';
  elements.reason.value = reason;
}

/** A box for each rule. The rules of the override come first; some of them may not be active now. */
function choose(chosen) {
  choices.replaceChildren(...[...new Set([...chosen, ...ids])].map((id) => {
    const label = document.createElement('label');
    const box = document.createElement('input');
    Object.assign(box, { type: 'checkbox', name: 'rule', value: id, checked: chosen.includes(id) });
    const name = document.createElement('span');
    name.textContent = id;
    label.append(box, name);
    return label;
  }));
}

/** Shows the fields of the chosen target and effect. */
function showParts() {
  form.querySelectorAll('[data-for]').forEach((part) => {
    part.hidden = part.dataset.for !== elements.target.value && part.dataset.for !== elements.effect.value;
  });
  document.getElementById('no-rules').hidden = chosenRules().length > 0;
}

async function save(event) {
  event.preventDefault();
  if (sending) {
    return;
  }
  const id = elements.id.value.trim();
  const missing = problemsBefore(id);
  if (missing.length) {
    report(missing);
    return;
  }
  sending = true;
  try {
    await endpoints.setOverride(id, properties());
    dialog.close();
    announce(`Override ${id} applies from the next request.`);
    saved();
  }
  catch (failure) {
    report(failure.problems.map((text) => ({ text: sentence(text, id), field: field(text) })));
  }
  sending = false;
}

/** Problems that the page finds: a name that would replace another override, and values that are missing. */
function problemsBefore(id) {
  const target = elements.target.value;
  const found = [];
  if (!/^\w[\w.-]{0,99}$/.test(id)) {
    found.push({
      field: 'id',
      text: 'The name must have 1 to 100 letters, digits, dots, dashes and underscores, and must not begin with a dot '
        + 'or a dash.',
    });
  }
  else if (!editing && names.includes(id)) {
    found.push({ field: 'id', text: `Override ${id} exists. Edit that one, or choose another name.` });
  }
  if (!elements[target].value.trim()) {
    found.push({ field: target, text: `The ${target} is required.` });
  }
  if (elements.effect.value === 'limit' && !elements.rate.value.trim()) {
    found.push({ field: 'rate', text: 'The rate is required: permits per period, such as 10/s.' });
  }
  if (elements.until.validity.badInput) {
    found.push({ field: 'until', text: 'The end must be a complete date and time, or empty.' });
  }
  return found;
}

function properties() {
  const target = elements.target.value;
  const effect = elements.effect.value;
  const limit = effect === 'limit';
  const { rate, burst, until, reason } = elements;
  return {
    [target]: target === 'key' ? elements.key.value.split('\n').filter(Boolean) : elements[target].value,
    rules: chosenRules().join(','),
    ...(limit ? { rate: rate.value, burst: burst.value } : { [effect]: 'true' }),
    until: until.value ? new Date(until.value).toISOString() : '',
    reason: reason.value,
  };
}

function chosenRules() {
  return [...choices.querySelectorAll(':checked')].map(({ value }) => value);
}

/** A problem without the name of the override, which the form shows. */
function sentence(text, id) {
  const owner = `Override '${id}': `;
  return text.startsWith(owner) ? text.charAt(owner.length).toUpperCase() + text.slice(owner.length + 1) : text;
}

/** The field of a problem; undefined if the problem concerns several fields. */
function field(text) {
  const property = [...text.matchAll(PROPERTY)].at(-1)?.[1];
  return property && !form.querySelector(`#${property}-problem`).closest('[hidden]') ? property : undefined;
}

/** Shows each problem at its field, or above all fields, and moves the focus to the first one. */
function report(found) {
  const textsAt = (field) => found.filter((one) => one.field === field).map(({ text }) => text);
  problems(general, textsAt(undefined));
  for (const place of form.querySelectorAll('.problem')) {
    const property = place.id.replace('-problem', '');
    place.textContent = textsAt(property).join(' ');
    if (property !== 'rules') {
      elements[property].ariaInvalid = place.textContent ? 'true' : null;
    }
  }
  if (found.length) {
    const { field } = found[0];
    (field === 'rules' ? choices.querySelector('input') : elements[field] ?? general).focus();
  }
}

/** Rounded up to minutes. */
function inHours(hours) {
  return new Date(Math.ceil(Date.now() / MINUTE + hours * 60) * MINUTE);
}

/** The value of a field for a date and a time: local, without an offset. */
function local(date) {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE);
  return shifted.toISOString().slice(0, date.getSeconds() ? 19 : 16);
}
