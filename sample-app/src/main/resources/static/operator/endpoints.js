// Calls the management endpoints. The browser adds the login of the operator.

const RULES = 'ratelimits';
const OVERRIDES = 'ratelimitoverrides';

const PATIENCE = 10_000;
/** The timeout. With Redis, the list of bans is a search of up to 30 seconds. */
const PATIENCE_FOR_BANS = 40_000;

/** A response that is not a success, or a missing response. */
export class Failure extends Error {

  constructor(status, problems) {
    super(problems.join(' '));
    this.status = status;
    this.problems = problems;
  }

}

export const rules = (signal) => read(RULES, [], signal);

export const offenders = (rule, signal) => read(RULES, [rule, 'offenders'], signal);

export const bans = (rule) => read(RULES, [rule, 'bans'], undefined, PATIENCE_FOR_BANS);

export const overrides = (signal) => read(OVERRIDES, [], signal);

/** Resolves with the result even if the new rules are not valid. The previous rules remain active then. */
export async function reload() {
  const response = await send(RULES, [], { method: 'POST' });
  const result = await body(response);
  if (!result.outcome) {
    throw failure(response, RULES, result);
  }
  return result;
}

export const setMode = (mode) => change(RULES, [], { method: 'POST', ...json({ mode }) });

/** Lifts a ban, and resets its bucket, by a key in a list. */
export const reset = (rule, key) => change(RULES, [rule, 'bans'], { method: 'DELETE' }, [key]);

/** The parts of a key are parameters; all other properties are in the body. */
export const setOverride = (id, { key = [], ...properties }) =>
  change(OVERRIDES, [id], { method: 'POST', ...json(properties) }, key);

export const removeOverride = (id) => change(OVERRIDES, [id], { method: 'DELETE' });

async function read(endpoint, path, signal, patience) {
  const response = await send(endpoint, path, { signal }, [], patience);
  if (!response.ok) {
    throw failure(response, endpoint, await body(response), path);
  }
  return response.json();
}

async function change(endpoint, path, options, key) {
  const response = await send(endpoint, path, options, key);
  const result = await body(response);
  if (!response.ok) {
    throw failure(response, endpoint, result, path);
  }
  return result;
}

async function send(endpoint, path, { signal, ...options }, key = [], patience = PATIENCE) {
  const url = ['/actuator', endpoint, ...path.map(encodeURIComponent)].join('/');
  const query = new URLSearchParams(key.map((part) => ['key', part]));
  try {
    return await fetch(key.length ? `${url}?${query}` : url, {
      cache: 'no-store',
      ...options,
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)].filter(Boolean)),
    });
  }
  catch {
    throw new Failure(0, ['The server can’t be reached.']);
  }
}

function json(content) {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(content) };
}

/** Empty if the response has no JSON. */
async function body(response) {
  try {
    return await response.json();
  }
  catch {
    return {};
  }
}

function failure({ status }, endpoint, { problems }, path = []) {
  return new Failure(status, problems?.length ? problems : [reason(status, endpoint, path)]);
}

function reason(status, endpoint, path) {
  switch (status) {
    case 401:
      return 'The login is no longer valid. Load the page again to log in.';
    case 403:
      return 'The account may not use this endpoint. The page requires the role of an operator.';
    case 404:
      return path.length ? 'It no longer exists.'
        : `The endpoint ${endpoint} is not exposed. Add it to management.endpoints.web.exposure.include.`;
    case 405:
      return `The endpoint ${endpoint} is read-only. Set management.endpoint.${endpoint}.access to unrestricted.`;
    case 503:
      return 'The store is unavailable, or the application is starting or stopping (status 503).';
    default:
      return `The response has the status ${status}.`;
  }
}
