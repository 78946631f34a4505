// The user's part of the API, by a personal token. Types are those of the OpenAPI document.

import type { components } from '../../src/api/schema';

type Schemas = components['schemas'];
export type Me = Schemas['MeBody'];
export type Result = Schemas['ResultBody'];
export type Receipt = Schemas['Receipt'];
export type Found = Schemas['FoundBody'];
export type Refusal = Schemas['RefusalBody'];

/** A request without an answer; the message is for the user. */
export class NoAnswer extends Error {
  constructor(
    message: string,
    /** Whether the token is not valid any more. */
    readonly isDenied = false,
  ) {
    super(message);
  }
}

async function call<T>(path: string, token: string, init: RequestInit = {}): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, ...(init.body ? { 'content-type': 'application/json' } : {}) };
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, cache: 'no-store', redirect: 'error' });
  } catch {
    throw new NoAnswer('There is no connection.');
  }
  const body = (await response.json().catch(() => null)) as T | Refusal | null;
  if (body === null) throw new NoAnswer(`The gateway answered with status ${response.status}.`);
  if (typeof body === 'object' && 'reason' in (body as object)) {
    const refusal = body as Refusal;
    throw new NoAnswer(`${refusal.message}.`, response.status === 401);
  }
  return body as T;
}

export const me = (token: string): Promise<Me> => call('../v1/me', token);

/** Asks for the nearest objects of a category. Throws unless the user was hidden. */
export async function nearest(token: string, at: { lon: number; lat: number }, k: number, dt: number, category: string): Promise<Result> {
  const question = { find: 'nearest', count: 10, along: 'streets', ...(category ? { category } : {}) };
  const result = await call<Result>('../v1/me/queries', token, { method: 'POST', body: JSON.stringify({ ...at, k, dt, question }) });
  if (result.outcome === 'answered') return result;
  if (result.outcome === 'failed') throw new NoAnswer('You were hidden, but the service did not answer.');
  throw new NoAnswer('Not enough users were near to hide you in time. Nothing was sent. Try fewer users or a longer wait.');
}
