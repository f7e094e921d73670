// Reads the keys of buckets as the endpoints show them: parts with a separator, escaped by backslashes. Text in parentheses
// marks a part that is hashed, that the caller does not have, or whose address replaces it.

const NONE = '(none)';
const HASH = '(hash)';
const ADDRESS = '(ip)';

/** Parts that callers share. */
const SHARED = ['endpoint', 'plan'];

/** The parts of a key under a rule: { name, value }, without a value if it is hashed or missing. */
export function parts(rule, key) {
  const names = namesOf(rule);
  return names.length ? split(key).map((text, i) => part(names[i], text)) : [];
}

/** The target of an override for this caller; undefined if the key does not identify a caller. */
export function targetOf(rule, key) {
  const all = parts(rule, key);
  const own = all.filter(({ name }) => !SHARED.includes(name));
  const user = own.find(({ name, value }) => name === 'user' && value !== undefined);
  const address = own.find(({ name, value }) => name === 'ip' && value !== undefined);
  if (user) {
    return { user: user.value };
  }
  if (address) {
    return { address: address.value, instead: address.instead };
  }
  const named = all.filter(({ name }) => name !== 'plan');
  return own.length && named.every(({ value }) => value !== undefined)
    ? { key: named.map(({ name, value }) => `${name}:${value}`).sort() } : undefined;
}

/** Whether a part of the key that belongs to the caller is hashed. */
export function isHashed(rule, key) {
  return parts(rule, key).some(({ name, hash }) => hash && !SHARED.includes(name));
}

/** "user fred", then "plan pro" and other parts that callers share. */
export function lines(rule, key) {
  const shown = parts(rule, key).filter(({ none }) => !none);
  const own = shown.filter(({ name }) => !SHARED.includes(name));
  const shared = shown.filter(({ name }) => SHARED.includes(name));
  return [
    ...(own.length ? own.map(words) : ['all callers together']),
    ...own.filter(({ hash }) => hash).map(({ hash }) => ({ text: hash, kind: 'muted hash' })),
    ...shared.map((part) => ({ text: words(part), kind: 'muted' })),
  ];
}

/** The caller in one line. */
export function line(rule, key) {
  return lines(rule, key).map((line) => line.text ?? line).join(', ');
}

function words({ name, value, hash }) {
  return `${name === 'ip' ? 'address' : name} ${hash ? '(hashed)' : value}`;
}

function namesOf({ scope, plans }) {
  const names = scope === 'global' ? [] : scope.split('+');
  return Object.keys(plans).length > 0 && !names.includes('plan') ? [...names, 'plan'] : names;
}

function split(key) {
  const texts = [''];
  for (const [text] of key.matchAll(/\\.|./gs)) {
    if (text === '|') {
      texts.push('');
    }
    else {
      texts[texts.length - 1] += text;
    }
  }
  return texts;
}

function part(name, text) {
  const instead = text.startsWith(ADDRESS);
  const rest = instead ? text.slice(ADDRESS.length) : text;
  const kind = instead ? 'ip' : name;
  if (rest === NONE) {
    return { name: kind, none: true };
  }
  if (rest.startsWith(HASH)) {
    return { name: kind, hash: rest.slice(HASH.length) };
  }
  return { name: kind, instead, value: rest.replace(/\\(.)/gs, '$1') };
}
