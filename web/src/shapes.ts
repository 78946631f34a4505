// Street shapes by number, loaded from the gateway in blocks on first use and cached.

import { get } from './api/client';

interface Block {
  first: number;
  ranks: number[];
  /** Delta-coded coordinates in millionths of a degree; the first point is absolute. */
  shapes: number[][];
}

export type Line = [lon: number, lat: number][];

export interface Shape {
  rank: number;
  line: Line;
}

export class Shapes {
  private readonly known = new Map<number, Shape>();
  private readonly asked = new Map<number, Promise<void>>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly size: number) {}

  /** Returns the shape of a street, or null if it is not loaded. */
  of(street: number): Shape | null {
    return this.known.get(street) ?? null;
  }

  /** Registers a callback for arriving shapes; returns a function that removes it. */
  onArrival(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Loads the missing blocks of these streets; resolves when all are present. */
  async load(streets: Iterable<number>): Promise<void> {
    const blocks = new Set(Array.from(streets, (street) => Math.floor(street / this.size)));
    await Promise.all(Array.from(blocks, (number) => {
      const asked = this.asked.get(number) ?? this.ask(number);
      this.asked.set(number, asked);
      return asked;
    }));
  }

  private async ask(number: number): Promise<void> {
    try {
      this.arrived(await get<Block>(`./map/shapes/${number}`));
    } catch {
      // A street without shape is not highlighted; the next highlight retries the request.
      this.asked.delete(number);
    }
  }

  private arrived({ first, ranks, shapes }: Block): void {
    shapes.forEach((steps, i) => this.known.set(first + i, { rank: ranks[i] ?? 7, line: decodeDeltas(steps) }));
    this.listeners.forEach((tell) => tell());
  }
}

function decodeDeltas(steps: number[]): Line {
  const line: Line = [];
  let [lon, lat] = [0, 0];
  for (let i = 0; i + 1 < steps.length; i += 2) {
    lon += steps[i] ?? 0;
    lat += steps[i + 1] ?? 0;
    line.push([lon / 1e6, lat / 1e6]);
  }
  return line;
}
