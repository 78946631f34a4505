// Markers on the overlay: the user, the other members of the set that asked, returned objects, the answer.

import type { Found, Truth } from '../api/client';
import type { CityMap, Overlay } from '../citymap';
import { world, type World } from '../mercator';
import { palette } from '../theme';

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export class Markers {
  me: World | null = null;
  objects: { lon: number; lat: number }[] = [];
  found: readonly Found[] = [];
  private askers: World[] = [];
  private readonly stop: () => void;

  constructor(map: CityMap) {
    this.stop = map.onOverlay((overlay, now) => this.draw(overlay, now));
  }

  set(truth: Truth): void {
    this.askers = truth.askers.map(([lon, lat]) => world({ lon, lat }));
    this.me = world({ lon: truth.me[0], lat: truth.me[1] });
  }

  clear(): void {
    this.askers = [];
    this.objects = [];
    this.found = [];
  }

  /** Whether a finished query is shown, so that markers must not move. */
  get showsResult(): boolean {
    return this.askers.length > 0;
  }

  remove(): void {
    this.stop();
  }

  private draw(overlay: Overlay, now: number): boolean {
    const { pen } = overlay;
    const colours = palette();
    const ring = (w: World, radius: number, fill: string | null, stroke: string, line = 2): void => {
      pen.beginPath();
      pen.arc(overlay.x(w), overlay.y(w), radius, 0, 7);
      if (fill) {
        pen.fillStyle = fill;
        pen.fill();
      }
      pen.strokeStyle = stroke;
      pen.lineWidth = line;
      pen.stroke();
    };
    pen.globalAlpha = this.found.length > 0 ? 0.5 : 1;
    for (const object of this.objects) square(overlay, world(object), 4, colours.ground, colours.poi);
    pen.globalAlpha = 1;
    for (const asker of this.askers) ring(asker, 6, colours.ground, colours.kept, 3);
    if (this.found.length > 0 && this.me) {
      pen.setLineDash([4, 4]);
      pen.strokeStyle = colours.me;
      pen.lineWidth = 1.5;
      for (const f of this.found) {
        const w = world(f);
        pen.beginPath();
        pen.moveTo(overlay.x(this.me), overlay.y(this.me));
        pen.lineTo(overlay.x(w), overlay.y(w));
        pen.stroke();
      }
      pen.setLineDash([]);
      for (const f of this.found) square(overlay, world(f), 5.5, colours.me, colours.ground);
    }
    if (this.me) {
      pen.globalAlpha = 0.25;
      ring(this.me, reducedMotion.matches ? 13 : 13 + 3 * Math.sin(now / 300), colours.me, colours.me, 0.5);
      pen.globalAlpha = 1;
      ring(this.me, 6.5, colours.me, colours.ground, 2);
    }
    return this.me !== null && !reducedMotion.matches;
  }
}

function square(overlay: Overlay, w: World, half: number, fill: string, stroke: string): void {
  const { pen } = overlay;
  pen.beginPath();
  pen.rect(overlay.x(w) - half, overlay.y(w) - half, 2 * half, 2 * half);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = stroke;
  pen.lineWidth = 1.6;
  pen.stroke();
}
