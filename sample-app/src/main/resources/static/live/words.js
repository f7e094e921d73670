// The sentences of the page.

const HELD = 'one for each export';

/** "10 allowed, 10 rejected. Try again in 1 s: Fred's own bucket is empty." */
export function outcome({ allowed, rejected, unanswered, violated, blocked, retryAfter }) {
  const counts = [`${allowed || 'none'} allowed`, `${rejected || 'none'} rejected`];
  if (unanswered) {
    counts.push(`${unanswered} without an answer`);
  }
  if (blocked) {
    return `${counts.join(', ')}. The sender is blocked.`;
  }
  const why = violated.length ? `: ${listed(violated)} ${violated.length > 1 ? 'are' : 'is'} empty` : '';
  return counts.join(', ') + (rejected ? `. Try again in ${retryAfter} s${why}.` : '.');
}

/** "the export is rejected: all permits of Fred's exports are in use." */
export function rejectedExport({ blocked }, name) {
  return `the export is rejected: ${blocked ? 'the sender is blocked' : `all permits of ${name} are in use`}.`;
}

/** "the answer is complete. Its actual cost is 8 permits." */
export function endedAnswer(event, permits) {
  const end = event === 'stopped' ? 'has ended early, because the bucket owes the maximum' : 'is complete';
  return `the answer ${end}. Its actual cost is ${permits} permits.`;
}

/** "the answer is rejected: Fred's tokens are too few. Try again in 30 s." */
export function rejectedAnswer({ blocked, retryAfter }, name) {
  return `the answer is rejected: ${blocked ? 'the sender is blocked.' : `${name} are too few. Try again in ${retryAfter} s.`}`;
}

/** The number that the page shows: the level, or the permits in use. */
export function amount({ held, capacity, level }) {
  return held ? capacity - level : level;
}

/** "of 10 permits" or "of 2 permits in use", after the number. */
export function capacity({ held, capacity }) {
  return `of ${capacity} permits${held ? ' in use' : ''}`;
}

/** "10 owed, one more each second, full again in 40 s": as far as it is known. */
export function refill({ held, owed, perSecond, secondsToFull }) {
  if (held) {
    return HELD;
  }
  if (secondsToFull === undefined) {
    return speed(perSecond, owed);
  }
  return `${speed(perSecond, owed)}, ${secondsToFull === 0 ? 'full now' : `full again in ${secondsToFull} s`}`;
}

/** "7 of 10 permits, one more each second", for screen readers. */
export function spoken(bucket) {
  return `${amount(bucket)} ${capacity(bucket)}, ${bucket.held ? HELD : speed(bucket.perSecond, bucket.owed)}`;
}

function speed(perSecond, owed) {
  if (owed > 0) {
    return `${owed} owed, ${speed(perSecond, 0)}`;
  }
  if (perSecond === 1) {
    return 'one more each second';
  }
  return perSecond > 1 ? `${rounded(perSecond)} more each second` : `one more every ${rounded(1 / perSecond)} s`;
}

function rounded(number) {
  return Math.round(number * 10) / 10;
}

function listed(names) {
  return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ');
}
