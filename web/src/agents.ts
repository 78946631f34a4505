// Draws the demo's agents on the overlay, interpolating positions between two updates.

import type { CityMap, Overlay } from './citymap';
import { h } from './dom';
import { ABSENT, HIDDEN, IDLE, WAITING, type Agents } from './stream';
import { palette } from './theme';

const SECOND = 1000;

export class AgentLayer {
  private before: Agents | null = null;
  private now: Agents | null = null;
  private since = 0;
  private readonly stop: () => void;
  private readonly reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  private readonly stamps = new Map<string, HTMLCanvasElement>();
  visible = true;
  faint = false;

  constructor(map: CityMap) {
    this.stop = map.onOverlay((overlay, time) => this.draw(overlay, time));
  }

  push(crowd: Agents): void {
    this.before = this.now && this.now.state.length === crowd.state.length ? this.now : crowd;
    this.now = crowd;
    this.since = performance.now();
  }

  /** Returns the agent nearest to a pixel, within 18 pixels. */
  nearest(overlay: Pick<Overlay, 'x' | 'y'>, x: number, y: number): number | null {
    let best: number | null = null;
    let least = 18 * 18;
    const crowd = this.now;
    if (!crowd) return null;
    for (let i = 0; i < crowd.state.length; i++) {
      if (crowd.state[i] === ABSENT) continue;
      const at = { x: crowd.x[i] ?? 0, y: crowd.y[i] ?? 0 };
      const gap = (overlay.x(at) - x) ** 2 + (overlay.y(at) - y) ** 2;
      if (gap < least) [best, least] = [i, gap];
    }
    return best;
  }

  remove(): void {
    this.stop();
  }

  /** Returns a cached bitmap of a dot. Drawing thousands of circle paths is slow without a GPU. */
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
      // Zooming produces many sizes, most of them used once.
      if (this.stamps.size > 60) this.stamps.clear();
      this.stamps.set(key, stamp);
    }
    return { stamp, half };
  }

  private draw(overlay: Overlay, time: number): boolean {
    const { before, now } = this;
    if (!before || !now || !this.visible) return false;
    const part = this.reducedMotion.matches ? 1 : Math.min(1, (time - this.since) / SECOND);
    const colours = palette();
    const size = Math.max(1.1, Math.min(4.5, (overlay.zoom - 10) * 0.62));
    const kinds: [state: number, colour: string, size: number, alpha: number][] = [
      [IDLE, colours.person, size, this.faint ? 0.16 : 0.55],
      [HIDDEN, colours.meshes[0] ?? colours.person, size * 1.25, this.faint ? 0.3 : 1],
      [WAITING, colours.waiting, size * 1.4, this.faint ? 0.3 : 1],
    ];
    for (const [state, colour, radius, alpha] of kinds) {
      const { stamp, half } = this.stamp(colour, radius);
      overlay.pen.globalAlpha = alpha;
      for (let i = 0; i < now.state.length; i++) {
        if (now.state[i] !== state) continue;
        const from = before.state[i] === ABSENT ? now : before;
        const w = {
          x: (from.x[i] ?? 0) + part * ((now.x[i] ?? 0) - (from.x[i] ?? 0)),
          y: (from.y[i] ?? 0) + part * ((now.y[i] ?? 0) - (from.y[i] ?? 0)),
        };
        const [x, y] = [overlay.x(w), overlay.y(w)];
        if (x < -9 || y < -9 || x > overlay.width + 9 || y > overlay.height + 9) continue;
        overlay.pen.drawImage(stamp, x - half, y - half, 2 * half, 2 * half);
      }
    }
    overlay.pen.globalAlpha = 1;
    return part < 1;
  }
}
