// Reads the levels from the server while the page is visible, and sends the requests of the buttons.

import { Bucket } from './bucket.js';
import { draw, record } from './history.js';
import * as offenders from './offenders.js';
import * as server from './server.js';
import { endedAnswer, outcome, rejectedAnswer, rejectedExport } from './words.js';

const PAUSE = 500;
const PAUSE_WHILE_AWAY = 2000;

for (const name of ['vessel', 'slots']) {
  const picture = document.getElementById(name).content;
  document.querySelectorAll(`.${name}`).forEach((meter) => meter.append(picture.cloneNode(true)));
}
const buckets = [...document.querySelectorAll('[data-rule]')].map((element) => new Bucket(element));
const connection = document.getElementById('connection');

let bursts = 0;
let timer;
let asking = new AbortController();

poll();
document.addEventListener('visibilitychange', poll);
offenders.whenOpened(poll);
whenClicked('[data-user][data-as]', send);
whenClicked('[data-export]', startExport);
whenClicked('[data-answer]', startAnswer);
document.querySelectorAll('[name=size]').forEach((choice) => choice.addEventListener('change', nameSize));
nameSize();

function whenClicked(buttons, action) {
  document.querySelectorAll(buttons).forEach((button) => button.addEventListener('click', () => action(button.dataset)));
}

/** Reads the levels repeatedly. During a burst, its responses contain them. */
async function poll() {
  stopPolling();
  if (document.hidden || bursts > 0) {
    return;
  }
  const { signal } = asking = new AbortController();
  try {
    const [levels] = await Promise.all([server.buckets(signal), offenders.refresh(signal)]);
    show(levels);
    reached(true);
  }
  catch {
    if (signal.aborted) {
      return;
    }
    reached(false);
  }
  draw();
  timer = setTimeout(poll, isAway() ? PAUSE_WHILE_AWAY : PAUSE);
}

function stopPolling() {
  clearTimeout(timer);
  asking.abort();
}

function show(levels) {
  for (const bucket of buckets) {
    bucket.show(levels.find(({ rule, whose }) => bucket.matches(rule, whose)));
  }
}

/** Reports when the server is not reachable, and when it is reachable again. */
function reached(answered) {
  if (answered !== isAway()) {
    return;
  }
  document.body.classList.toggle('away', !answered);
  connection.textContent = answered ? 'The server answers again.'
    : 'The server can’t be reached. The levels are the last known ones; trying again.';
}

function isAway() {
  return document.body.classList.contains('away');
}

/** Sends a burst, and reports its results once. */
async function send({ user, as }) {
  bursts++;
  stopPolling();
  if (!isAway()) {
    connection.textContent = '';
  }
  const answers = await Promise.all(Array.from({ length: size() }, () => sendOne(user)));
  bursts--;
  const counts = summary(answers, user);
  report(as, outcome(counts), counts.rejected > 0);
  poll();
}

/** Starts an export, and waits until it is complete. In the meantime, the levels are read. */
async function startExport({ export: user, as }) {
  try {
    const answer = await server.startExport(user);
    record(answer.rejected ? 'rejected' : 'allowed');
    if (answer.rejected) {
      report(as, rejectedExport(answer, find('live-exports', user).name), true);
      return;
    }
    report(as, 'the export is in progress.', false);
    await answer.text();
    report(as, 'the export is complete.', false);
  }
  catch {
    report(as, 'the export has failed.', true);
  }
}

/** Starts an answer, and shows its words. In the meantime, the levels are read. */
async function startAnswer({ answer: user, words, as }) {
  try {
    const answer = await server.startAnswer(user, words);
    record(answer.rejected ? 'rejected' : 'allowed');
    if (answer.rejected) {
      report(as, rejectedAnswer(answer, find('live-tokens', user).name), true);
      return;
    }
    report(as, 'the answer is in progress.', false);
    const text = document.createTextNode('');
    document.getElementById('answer').replaceChildren(text);
    for await (const { event, data } of answer.events()) {
      if (event) {
        report(as, endedAnswer(event, data), event === 'stopped');
      } else {
        text.data += `${data} `;
      }
    }
  }
  catch {
    report(as, 'the answer has failed.', true);
  }
}

function report(as, text, rejections) {
  const element = document.getElementById('outcome');
  element.textContent = `${as}: ${text}`;
  element.classList.toggle('rejections', rejections);
}

async function sendOne(user) {
  try {
    const answer = await server.request(user);
    record(answer.rejected ? 'rejected' : 'allowed');
    answer.levels.forEach((left, rule) => find(rule, user)?.fall(left));
    return answer;
  }
  catch {
    return null;
  }
}

function summary(answers, user) {
  const answered = answers.filter((answer) => answer !== null);
  const rejections = answered.filter((answer) => answer.rejected);
  const last = rejections.at(-1);
  return {
    allowed: answered.length - rejections.length,
    rejected: rejections.length,
    unanswered: answers.length - answered.length,
    violated: (last?.violated ?? []).map((rule) => find(rule, user)?.name ?? rule),
    blocked: last?.blocked,
    retryAfter: last?.retryAfter,
  };
}

function find(rule, user) {
  return buckets.find((bucket) => bucket.matches(rule, user));
}

function size() {
  return Number(document.querySelector('[name=size]:checked').value);
}

function nameSize() {
  document.querySelectorAll('.size').forEach((number) => number.textContent = size());
}
