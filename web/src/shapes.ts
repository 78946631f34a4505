// The shapes of streets by number. They come from the gateway in blocks, each asked for when the
// first of its streets is to be lit, and kept.

import { get } from './api/client';

interface Block {
  first: number;
  ranks: number[];
  /** Millionths of a degree, the first point as it is, the others as steps from the one before. */
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

  /** The shape of a street, if it is here. */
  of(street: number): Shape | null {
    return this.known.get(street) ?? null;
  }

  /** Calls whenever shapes have come, until the answer is called. */
  onArrival(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Asks for the blocks of these streets that were not asked for yet; done when all are here. */
  async want(streets: Iterable<number>): Promise<void> {
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
      // Without its shape a street is not lit; whoever lights it next asks again.
      this.asked.delete(number);
    }
  }

  private arrived({ first, ranks, shapes }: Block): void {
    shapes.forEach((steps, i) => this.known.set(first + i, { rank: ranks[i] ?? 7, line: unrolled(steps) }));
    this.listeners.forEach((tell) => tell());
  }
}

function unrolled(steps: number[]): Line {
  const line: Line = [];
  let [lon, lat] = [0, 0];
  for (let i = 0; i + 1 < steps.length; i += 2) {
    lon += steps[i] ?? 0;
    lat += steps[i + 1] ?? 0;
    line.push([lon / 1e6, lat / 1e6]);
  }
  return line;
}
