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
  const problem = await rejection(response);
  return {
    rejected: problem !== null,
    levels: levels(response.headers.get('RateLimit') ?? ''),
    violated: problem?.['violated-policies'] ?? [],
    blocked: isBlocked(problem),
    retryAfter: Number(response.headers.get('Retry-After')),
  };
}

/** Starts an export as a user. Unless it is rejected, the text of the file follows. */
export async function startExport(user) {
  const response = await ask('/live/export', { headers: credentials(user), signal: AbortSignal.timeout(60000) });
  const problem = await rejection(response);
  return { rejected: problem !== null, blocked: isBlocked(problem), text: () => response.text() };
}

/** Starts an answer as a user. Unless it is rejected, the events of the stream follow. */
export async function startAnswer(user, words) {
  const response = await ask(`/live/answer?words=${words}`, {
    headers: credentials(user),
    signal: AbortSignal.timeout(60000),
  });
  const problem = await rejection(response);
  return {
    rejected: problem !== null,
    blocked: isBlocked(problem),
    retryAfter: Number(response.headers.get('Retry-After')),
    events: () => events(response.body),
  };
}

/** The events of a stream: { data: 'A' } for 'data:A', { event: 'complete', data: '8' } for 'event:complete' and 'data:8'. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const texts = (rest + part.value).split('\n\n');
    rest = texts.pop();
    for (const text of texts) {
      yield Object.fromEntries(text.split('\n').map((line) => line.split(':')));
    }
  }
}

/** The problem in a response with status 429; null if the request was allowed. */
async function rejection(response) {
  const rejected = response.status === 429;
  if (!response.ok && !rejected) {
    throw new Error(`The response to a request has the status ${response.status}`);
  }
  return rejected ? response.json() : null;
}

function isBlocked(problem) {
  return problem?.type?.endsWith('#abnormal-usage-detected') ?? false;
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
