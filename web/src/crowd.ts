// The crowd on the glass: between two seconds everyone glides from where she was to where she is.

import type { CityMap, Glass } from './citymap';
import { h } from './dom';
import { ABSENT, HIDDEN, IDLE, WAITING, type Crowd } from './stream';
import { palette } from './theme';

const SECOND = 1000;

export class CrowdLayer {
  private before: Crowd | null = null;
  private now: Crowd | null = null;
  private since = 0;
  private readonly stop: () => void;
  private readonly still = matchMedia('(prefers-reduced-motion: reduce)');
  private readonly stamps = new Map<string, HTMLCanvasElement>();
  visible = true;
  faint = false;

  constructor(map: CityMap) {
    this.stop = map.onGlass((glass, time) => this.draw(glass, time));
  }

  push(crowd: Crowd): void {
    this.before = this.now && this.now.how.length === crowd.how.length ? this.now : crowd;
    this.now = crowd;
    this.since = performance.now();
  }

  /** The person nearest to a pixel, if she is near. */
  nearest(glass: Pick<Glass, 'x' | 'y'>, x: number, y: number): number | null {
    let best: number | null = null;
    let least = 18 * 18;
    const crowd = this.now;
    if (!crowd) return null;
    for (let i = 0; i < crowd.how.length; i++) {
      if (crowd.how[i] === ABSENT) continue;
      const at = { x: crowd.x[i] ?? 0, y: crowd.y[i] ?? 0 };
      const gap = (glass.x(at) - x) ** 2 + (glass.y(at) - y) ** 2;
      if (gap < least) [best, least] = [i, gap];
    }
    return best;
  }

  remove(): void {
    this.stop();
  }

  /** A dot, drawn once and then stamped: a path of thousands of circles is slow where there is no graphics card. */
  private stamp(colour: string, radius: number): { stamp: HTMLCanvasElement; half: number } {
    const scale = devicePixelRatio || 1;
    const key = `${colour} ${radius.toFixed(1)} ${scale}`;
    const half = Math.ceil(radius) + 1;
    let stamp = this.stamps.get(key);
    if (!stamp) {
      const side = Math.ceil(2 * half * scale);
      stamp = h('canvas', { width: side, height: side });
      const pen = stamp.getContext('2d');
      if (pen) {
        pen.fillStyle = colour;
        pen.arc(side / 2, side / 2, radius * scale, 0, 7);
        pen.fill();
      }
      // Zooming goes through many sizes; few of them are seen again.
      if (this.stamps.size > 60) this.stamps.clear();
      this.stamps.set(key, stamp);
    }
    return { stamp, half };
  }

  private draw(glass: Glass, time: number): boolean {
    const { before, now } = this;
    if (!before || !now || !this.visible) return false;
    const part = this.still.matches ? 1 : Math.min(1, (time - this.since) / SECOND);
    const colours = palette();
    const size = Math.max(1.1, Math.min(4.5, (glass.zoom - 10) * 0.62));
    const kinds: [how: number, colour: string, size: number, alpha: number][] = [
      [IDLE, colours.person, size, this.faint ? 0.16 : 0.55],
      [HIDDEN, colours.meshes[0] ?? colours.person, size * 1.25, this.faint ? 0.3 : 1],
      [WAITING, colours.waiting, size * 1.4, this.faint ? 0.3 : 1],
    ];
    for (const [how, colour, radius, alpha] of kinds) {
      const { stamp, half } = this.stamp(colour, radius);
      glass.pen.globalAlpha = alpha;
      for (let i = 0; i < now.how.length; i++) {
        if (now.how[i] !== how) continue;
        const from = before.how[i] === ABSENT ? now : before;
        const w = {
          x: (from.x[i] ?? 0) + part * ((now.x[i] ?? 0) - (from.x[i] ?? 0)),
          y: (from.y[i] ?? 0) + part * ((now.y[i] ?? 0) - (from.y[i] ?? 0)),
        };
        const [x, y] = [glass.x(w), glass.y(w)];
        if (x < -9 || y < -9 || x > glass.width + 9 || y > glass.height + 9) continue;
        glass.pen.drawImage(stamp, x - half, y - half, 2 * half, 2 * half);
      }
    }
    glass.pen.globalAlpha = 1;
    return part < 1;
  }
}
