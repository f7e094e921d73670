// Sends the requests of the page, and reads the responses.

const PASSWORD = 'secret';

/** The levels of all buckets. */
export async function buckets(signal) {
  const response = await ask('/live/buckets', { signal: AbortSignal.any([signal, AbortSignal.timeout(3000)]) });
  if (!response.ok) {
    throw new Error(`The response to the request for the buckets has the status ${response.status}`);
  }
  return response.json();
}

/** The keys that a rule rejects most often, as the operator reads them. */
export async function offenders(rule, signal) {
  const response = await ask(`/actuator/ratelimits/${encodeURIComponent(rule)}/offenders`, {
    headers: credentials('olga'),
    signal: AbortSignal.any([signal, AbortSignal.timeout(3000)]),
  });
  if (!response.ok) {
    throw new Error(`The response to the request for the offenders has the status ${response.status}`);
  }
  return (await response.json()).offenders;
}

/** One request as a user, or as a visitor without one. */
export async function request(user) {
  const headers = user ? credentials(user) : {};
  const response = await ask('/live/requests', { method: 'POST', headers, signal: AbortSignal.timeout(10000) });
  const rejected = response.status === 429;
  if (!response.ok && !rejected) {
    throw new Error(`The response to a request has the status ${response.status}`);
  }
  const problem = rejected ? await response.json() : {};
  return {
    rejected,
    levels: levels(response.headers.get('RateLimit') ?? ''),
    violated: problem['violated-policies'] ?? [],
    blocked: problem.type?.endsWith('#abnormal-usage-detected') ?? false,
    retryAfter: Number(response.headers.get('Retry-After')),
  };
}

function credentials(user) {
  return { Authorization: `Basic ${btoa(`${user}:${PASSWORD}`)}` };
}

/** Omits credentials that the browser has stored: a visitor has none. */
function ask(path, options) {
  return fetch(path, { credentials: 'omit', cache: 'no-store', ...options });
}

/** The remaining permits by rule, from '"live-per-user";r=3;t=3, "live-everybody";r=33;t=4'. */
function levels(field) {
  return new Map([...field.matchAll(/"([^"]+)";r=(\d+)/g)].map(([, rule, left]) => [rule, Number(left)]));
}
