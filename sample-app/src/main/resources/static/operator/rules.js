// The current rules.

import { Table } from '/common/table.js';
import { Section } from './section.js';
import { duration, limit, percent, time } from './words.js';

/** Outcomes that have a column of their own. */
const COLUMNS = ['allowed', 'rejected'];

const section = new Section('rules');
const table = new Table(section.element.querySelector('table'), ({ id }) => id,
  [rule, limits, mode, allowed, rejected, source]);

export function show(rules) {
  table.show(rules);
  section.loaded(rules.length, 'No rule is active.');
}

function rule({ id, scope, methods, paths, appliesTo }) {
  const requests = [methods.join(', '), paths.join(', ')].filter(Boolean).join(' ') || 'all requests';
  return [id, muted(`${scope} · ${appliesTo === 'code' ? 'code' : requests}`)];
}

function limits({ limit: standard, plans, ban, shards }) {
  return [
    limit(standard),
    ...Object.entries(plans).map(([plan, other]) => muted(`plan ${plan}: ${limit(other)}`)),
    ...(shards ? [muted(`in ${shards} shards`)] : []),
    ...(ban ? [muted(`ban after ${ban.after} rejections in ${duration(ban.within)}, for ${duration(ban.duration)}`)] : []),
  ];
}

function mode({ mode, enforceShare, schedule, candidate, candidateOf }) {
  return [
    { text: mode === 'shadow' ? 'shadow' : 'enforced', kind: `chip ${mode}` },
    ...(enforceShare === undefined ? [] : [muted(`for ${percent(enforceShare)} of the keys`)]),
    ...(candidateOf ? [muted(`candidate of ${candidateOf}`)] : []),
    ...(candidate ? [muted(compared(candidate))] : []),
    ...(schedule ? times(schedule) : []),
  ];
}

function compared({ id, compared, rejectedMorePercent: more }) {
  return compared === 0 ? `candidate ${id}: nothing compared yet`
    : `candidate ${id}: ${more < 0 ? '' : '+'}${more}% rejections`;
}

function times({ now, nextChange, ranges, weekly, zone }) {
  const change = nextChange ? ` until ${time(nextChange)}` : '';
  return [
    now ? muted(`applies now${change}`) : { text: `does not apply now${change}`, kind: 'bad' },
    muted([...ranges, ...weekly, ...(weekly.length ? [zone] : [])].join(', ')),
  ];
}

function allowed({ totals }) {
  return [`${totals.allowed ?? 0}`];
}

/** Outcomes other than the two are below them, with their names. */
function rejected({ totals }) {
  const others = Object.entries(totals).filter(([outcome]) => !COLUMNS.includes(outcome));
  return [
    { text: `${totals.rejected ?? 0}`, kind: totals.rejected ? 'bad' : '' },
    ...others.map(([outcome, count]) => muted(`${count} ${outcome}`)),
  ];
}

function source({ origin }) {
  return [muted(origin)];
}

function muted(text) {
  return { text, kind: 'muted' };
}
