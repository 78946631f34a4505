// Highlights the meshes of the last seconds: the newest strongest, older ones fading.

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
        // The colour depends on the mesh itself, so that it stays the same while the mesh fades.
        const c = this.colour ?? ((streets[0] ?? i) * 7 + streets.length) % COLOURS;
        for (const street of streets) if (!looks.has(street)) looks.set(street, { c, s: STRENGTHS[age] ?? 0 });
      }),
    );
    this.map.highlight(looks);
  }

  clear(): void {
    this.seconds = [];
    this.map.highlight(new Map());
  }
}
