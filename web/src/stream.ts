// The demo's live stream, one message per second: agents, published regions, counters.

import type { World } from './mercator';

export interface Counts {
  present: number;
  asked: number;
  served: number;
  expired: number;
  waiting: number;
  sets: number;
  set_size: number | null;
  delay: number | null;
  batch_ms: number | null;
  success: number | null;
}

export interface Second {
  second: number;
  /** Five bytes per agent, base64: x and y as fractions of the bounds (u16 each) and the state. */
  people: string;
  bounds: [x0: number, y0: number, x1: number, y1: number];
  counts: Counts;
  regions: number[][];
}

export const ABSENT = 0;
export const IDLE = 1;
export const WAITING = 2;
export const HIDDEN = 3;

/** Positions and states of all agents, in world coordinates. */
export interface Agents {
  x: Float64Array;
  y: Float64Array;
  state: Uint8Array;
}

export function decode(second: Second): Agents {
  const text = atob(second.people);
  const count = Math.floor(text.length / 5);
  const crowd = { x: new Float64Array(count), y: new Float64Array(count), state: new Uint8Array(count) };
  const [x0, y0, x1, y1] = second.bounds;
  for (let i = 0; i < count; i++) {
    const at = (k: number): number => text.charCodeAt(i * 5 + k);
    crowd.x[i] = x0 + ((at(0) + at(1) * 256) / 65535) * (x1 - x0);
    crowd.y[i] = y0 + ((at(2) + at(3) * 256) / 65535) * (y1 - y0);
    crowd.state[i] = at(4);
  }
  return crowd;
}

type Listener = (second: Second, crowd: Agents) => void;

/** One connection for the whole page, open while there are listeners. */
class Stream {
  private readonly listeners = new Set<Listener>();
  private readonly alive = new Set<(alive: boolean) => void>();
  private source: EventSource | null = null;
  last: { second: Second; crowd: Agents } | null = null;

  listen(listener: Listener, alive?: (alive: boolean) => void): () => void {
    this.listeners.add(listener);
    if (alive) this.alive.add(alive);
    if (!this.source) this.open();
    if (this.last) listener(this.last.second, this.last.crowd);
    return () => {
      this.listeners.delete(listener);
      if (alive) this.alive.delete(alive);
      if (this.listeners.size === 0) this.close();
    };
  }

  private open(): void {
    this.source = new EventSource('./demo/live');
    this.source.onopen = () => this.alive.forEach((tell) => tell(true));
    this.source.onerror = () => this.alive.forEach((tell) => tell(false));
    this.source.onmessage = (event: MessageEvent<string>) => {
      const second = JSON.parse(event.data) as Second;
      this.last = { second, crowd: decode(second) };
      for (const listener of this.listeners) listener(second, this.last.crowd);
    };
  }

  private close(): void {
    this.source?.close();
    this.source = null;
    this.last = null;
  }
}

export const stream = new Stream();

export const at = (crowd: Agents, person: number): World | null =>
  crowd.state[person] ? { x: crowd.x[person] ?? 0, y: crowd.y[person] ?? 0 } : null;
