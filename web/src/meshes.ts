// The meshes of the last seconds, lit on the map: the newest bright, older ones fading.

import type { CityMap } from './citymap';

const STRENGTHS = [0.85, 0.4, 0.16];
const COLOURS = 6;

export class MeshLayer {
  private seconds: number[][][] = [];

  constructor(private readonly map: CityMap, private readonly colour: number | null = null) {}

  push(regions: number[][]): void {
    this.seconds.unshift(regions);
    this.seconds.length = Math.min(this.seconds.length, STRENGTHS.length);
    const looks = new Map<number, { c: number; s: number }>();
    this.seconds.forEach((meshes, age) =>
      meshes.forEach((streets, i) => {
        // A mesh keeps its colour as it fades: it is named by its first street.
        const c = this.colour ?? ((streets[0] ?? i) * 7 + streets.length) % COLOURS;
        for (const street of streets) if (!looks.has(street)) looks.set(street, { c, s: STRENGTHS[age] ?? 0 });
      }),
    );
    this.map.light(looks);
  }

  clear(): void {
    this.seconds = [];
    this.map.light(new Map());
  }
}
