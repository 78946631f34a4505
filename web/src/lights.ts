// Which streets are lit, and how: few features of many lines, so that only what is lit is drawn
// twice, and nothing that is not.

import type { FeatureCollection, MultiLineString } from 'geojson';
import { type Line, Shapes } from './shapes';

/** How a street looks: lit in colour `c` with strength `s`, or ruled out if `g`. */
export interface Look {
  c?: number;
  s?: number;
  g?: number;
}

export type Lit = FeatureCollection<MultiLineString>;

export const DARK: Lit = { type: 'FeatureCollection', features: [] };

/** These streets as features, one for each look and importance, faint ones first. */
export function lit(looks: Map<number, Look>, shapes: Shapes): Lit {
  const groups = new Map<string, { look: Required<Look>; rank: number; lines: Line[] }>();
  for (const [street, { c = 0, s = 0, g = 0 }] of looks) {
    const shape = shapes.of(street);
    if (!shape) continue;
    // Three widths are told apart.
    const rank = shape.rank < 3 ? 1 : shape.rank < 5 ? 3 : 5;
    const key = `${c} ${s} ${g} ${rank}`;
    const group = groups.get(key) ?? { look: { c, s, g }, rank, lines: [] };
    group.lines.push(shape.line);
    groups.set(key, group);
  }
  const order = [...groups.values()].sort((a, b) => a.look.s - b.look.s || b.rank - a.rank);
  return {
    type: 'FeatureCollection',
    features: order.map(({ look, rank, lines }) => ({
      type: 'Feature',
      properties: { ...look, rank },
      geometry: { type: 'MultiLineString', coordinates: lines },
    })),
  };
}
