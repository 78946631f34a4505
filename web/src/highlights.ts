// Highlighted streets as a few GeoJSON features of many lines each, so that only highlighted streets
// are drawn a second time.

import type { FeatureCollection, MultiLineString } from 'geojson';
import { type Line, Shapes } from './shapes';

/** Style of a street: colour index `c` with strength `s` (0 to 1), or ruled out if `g` is 1. */
export interface Highlight {
  c?: number;
  s?: number;
  g?: number;
}

export type Highlights = FeatureCollection<MultiLineString>;

export const NO_HIGHLIGHTS: Highlights = { type: 'FeatureCollection', features: [] };

/** Builds one feature for each style and rank, weakest first. */
export function highlightFeatures(looks: Map<number, Highlight>, shapes: Shapes): Highlights {
  const groups = new Map<string, { look: Required<Highlight>; rank: number; lines: Line[] }>();
  for (const [street, { c = 0, s = 0, g = 0 }] of looks) {
    const shape = shapes.of(street);
    if (!shape) continue;
    // Three line widths: ranks are merged into three classes.
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
