// Client of the gateway's HTTP API. Types of public routes are generated from its OpenAPI document.

import type { components } from './schema';

export type QueryRequest = components['schemas']['QueryRequest'];
export type QueryResult = components['schemas']['ResultBody'];
export type Refusal = components['schemas']['RefusalBody'];
export type Found = components['schemas']['FoundBody'];

export class RequestError extends Error {}

export async function get<T>(path: string): Promise<T> {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  if (!response.ok) throw new RequestError(`${path} returned status ${response.status}`);
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
    // Reported below.
  }
  if (value === null) throw new RequestError(`${path} returned status ${response.status}`);
  return value as T;
}

/** Ground truth of a query in the demo; a real gateway never returns it. */
export interface Truth {
  /** Snapped position of the user. */
  me: [lon: number, lat: number];
  /** Positions of the members of the set that asked, the user included. */
  askers: [lon: number, lat: number][];
  /** Number of users in the set. */
  set_size: number;
  /** Number of them that asked; the others were present. */
  asking: number;
  /** Streets that the service was asked about. */
  streets: number[];
  metres: number;
  /** The inquiry as a sentence. */
  asked: string;
  /** All objects that the service returned. */
  objects: { lon: number; lat: number; name: string; category: string }[];
  /** For an expired query: number of other users in mutual reach at its deadline. */
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
  /** Whether users without a question report their presence. */
  presence: boolean;
  schemes: SchemeInfo[];
  attacks: SchemeInfo[];
}

export interface Side {
  scheme: string;
  /** Reason why nothing was published for the target, if so. */
  why: string | null;
  /** Outline of a rectangle or disc, as lon/lat. */
  outline: [lon: number, lat: number][] | null;
  bounds: [west: number, south: number, east: number, north: number] | null;
  streets: number[];
  /** Streets that the adversary cannot rule out. */
  kept: number[];
  metres: number;
  metres_left: number;
  set: number;
  k_left: number | null;
  error: number | null;
  /** Path on which the tracker believes the target to be, one point a second; radius in metres. */
  path: { lon: number; lat: number; radius: number }[];
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
  cluster: boolean;
  report: string | null;
}
