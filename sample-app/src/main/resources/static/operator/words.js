// The values as they are displayed.

/** "20/d", "4/s, burst 20", "2 permits in use", "unlimited". */
export function limit({ algorithm, rate, burst, limit, unlimited }) {
  if (unlimited) {
    return 'unlimited';
  }
  if (algorithm === 'concurrency') {
    return `${limit} permits in use`;
  }
  const permits = Number.parseInt(rate, 10);
  return [
    rate,
    burst !== undefined && burst !== permits ? `burst ${burst}` : '',
    algorithm === 'token-bucket' ? '' : algorithm.replace('-', ' '),
  ].filter(Boolean).join(', ');
}

/** "12.5%" for 0.125. */
export function percent(share) {
  return `${Number((share * 100).toPrecision(12))}%`;
}

/** "19:05:12", with the date unless it is today. */
export function time(instant) {
  const date = new Date(instant);
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString() : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** "7 h 12 min" for PT7H12M. */
export function duration(iso) {
  const [, hours = 0, minutes = 0, seconds = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(iso) ?? [];
  const units = [[Math.floor(hours / 24), 'd'], [hours % 24, 'h'], [Number(minutes), 'min'], [Math.ceil(seconds), 's']];
  const first = units.findIndex(([count]) => count > 0);
  return first < 0 ? '0 s' : units.slice(first, first + 2).filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** "1st", "2nd". */
export function ordinal(number) {
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
  return `${number}${ending[new Intl.PluralRules('en', { type: 'ordinal' }).select(number)]}`;
}

/** The caller that an override is for: "user fred". */
export function target({ user, address, key }) {
  if (user !== undefined) {
    return `user ${user}`;
  }
  return address !== undefined ? `address ${address}` : `key ${key.join(' | ')}`;
}
