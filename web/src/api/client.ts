// What the page asks the gateway. Types of the public routes are generated from its own document.

import type { components } from './schema';

export type QueryRequest = components['schemas']['QueryRequest'];
export type QueryResult = components['schemas']['ResultBody'];
export type Refusal = components['schemas']['RefusalBody'];
export type Found = components['schemas']['FoundBody'];

export class Problem extends Error {}

export async function get<T>(path: string): Promise<T> {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Problem(`${path} said ${response.status}`);
  return (await response.json()) as T;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (value === null) throw new Problem(`${path} said ${response.status}`);
  return value as T;
}

/** What the demo can tell of a query that was asked in it: the truth, which no gateway tells. */
export interface Truth {
  /** Where the person was, once snapped to her street. */
  me: [lon: number, lat: number];
  /** Where the members of the set were, herself among them. */
  members: [lon: number, lat: number][];
  /** The streets the service was asked about. */
  streets: number[];
  metres: number;
  /** What the service was asked, in words. */
  asked: string;
  /** Everything the service sent back. */
  objects: { lon: number; lat: number; name: string; category: string }[];
  /** Of an expired query: how many other people waited within mutual reach at the end. */
  neighbours: number | null;
}

export interface SchemeInfo {
  id: string;
  label: string;
  about: string;
}

export interface DemoInfo {
  guarantee: string;
  people: number;
  tick: number;
  schemes: SchemeInfo[];
  attacks: SchemeInfo[];
}

export interface Side {
  scheme: string;
  /** Why nothing was published for the victim, if so. */
  why: string | null;
  /** The outline of a rectangle or disc, as lon/lat. */
  outline: [lon: number, lat: number][] | null;
  bounds: [west: number, south: number, east: number, north: number] | null;
  streets: number[];
  /** Those of them the attacker cannot rule out. */
  kept: number[];
  metres: number;
  metres_left: number;
  set: number;
  k_left: number | null;
  error: number | null;
  told: string;
}

export interface Comparison {
  moment: number;
  victim: { number: number; lon: number; lat: number; k: number } | null;
  published: number;
  sides: Side[];
}

export interface PageInfo {
  demo: boolean;
  report: string | null;
}
