// Marks on the glass: you, the others in your set, what the service sent, what is yours.

import type { Found, Truth } from '../api/client';
import type { CityMap, Glass } from '../citymap';
import { world, type World } from '../mercator';
import { palette } from '../theme';

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class Marks {
  me: World | null = null;
  objects: { lon: number; lat: number }[] = [];
  found: readonly Found[] = [];
  private members: World[] = [];
  private readonly stop: () => void;

  constructor(map: CityMap) {
    this.stop = map.onGlass((glass, now) => this.draw(glass, now));
  }

  set(truth: Truth): void {
    this.members = truth.members.map(([lon, lat]) => world({ lon, lat }));
    this.me = world({ lon: truth.me[0], lat: truth.me[1] });
  }

  clear(): void {
    this.members = [];
    this.objects = [];
    this.found = [];
  }

  /** Whether what became of a question is on the map, and is not to move. */
  get telling(): boolean {
    return this.members.length > 0;
  }

  remove(): void {
    this.stop();
  }

  private draw(glass: Glass, now: number): boolean {
    const { pen } = glass;
    const colours = palette();
    const ring = (w: World, radius: number, fill: string | null, stroke: string, line = 2): void => {
      pen.beginPath();
      pen.arc(glass.x(w), glass.y(w), radius, 0, 7);
      if (fill) {
        pen.fillStyle = fill;
        pen.fill();
      }
      pen.strokeStyle = stroke;
      pen.lineWidth = line;
      pen.stroke();
    };
    pen.globalAlpha = this.found.length > 0 ? 0.5 : 1;
    for (const object of this.objects) square(glass, world(object), 4, colours.ground, colours.poi);
    pen.globalAlpha = 1;
    for (const member of this.members) ring(member, 6, colours.ground, colours.kept, 3);
    if (this.found.length > 0 && this.me) {
      pen.setLineDash([4, 4]);
      pen.strokeStyle = colours.me;
      pen.lineWidth = 1.5;
      for (const f of this.found) {
        const w = world(f);
        pen.beginPath();
        pen.moveTo(glass.x(this.me), glass.y(this.me));
        pen.lineTo(glass.x(w), glass.y(w));
        pen.stroke();
      }
      pen.setLineDash([]);
      for (const f of this.found) square(glass, world(f), 5.5, colours.me, colours.ground);
    }
    if (this.me) {
      pen.globalAlpha = 0.25;
      ring(this.me, still.matches ? 13 : 13 + 3 * Math.sin(now / 300), colours.me, colours.me, 0.5);
      pen.globalAlpha = 1;
      ring(this.me, 6.5, colours.me, colours.ground, 2);
    }
    return this.me !== null && !still.matches;
  }
}

function square(glass: Glass, w: World, half: number, fill: string, stroke: string): void {
  const { pen } = glass;
  pen.beginPath();
  pen.rect(glass.x(w) - half, glass.y(w) - half, 2 * half, 2 * half);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = stroke;
  pen.lineWidth = 1.6;
  pen.stroke();
}
