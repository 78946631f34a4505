// MapLibre style: own tiles, own colours, glyphs rendered by the browser. No external resource.

import type { ExpressionSpecification, LineLayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { Highlights } from './highlights';
import type { Palette } from './theme';

const SOURCE = 'map';
/** Source of highlighted streets. */
export const HIGHLIGHT_SOURCE = 'lit';

const FONT = ['Noto Sans', 'system-ui', 'sans-serif'];

/** Line width in pixels by zoom and rank. */
function width(extra: number): ExpressionSpecification {
  const at = (major: number, middle: number, minor: number, part: number): ExpressionSpecification =>
    ['step', ['get', 'rank'], major + extra * part, 3, middle + extra * part, 5, minor + extra * part];
  return ['interpolate', ['exponential', 1.5], ['zoom'],
    10, at(1.2, 0.8, 0.5, 0.25), 11, at(1.8, 1.2, 0.7, 0.4), 13, at(3, 2.2, 1.3, 0.8), 15, at(6, 5, 3.2, 1),
    17, at(15, 13, 9, 1), 19, at(40, 34, 24, 1)];
}

/**
 * Colour of a highlighted street: `c` is the index of its mesh. Weak colours are mixed with the
 * background instead of drawn transparent, because overlapping lines would add up.
 */
function meshColour(palette: Palette, part: number): ExpressionSpecification {
  const [first, ...rest] = palette.meshes;
  const cases = rest.flatMap((colour, i) => [i + 1, colour]);
  const colour = ['match', ['get', 'c'], ...cases, first] as unknown as ExpressionSpecification;
  return ['interpolate', ['linear'], ['*', part, ['get', 's']], 0, palette.ground, 1, colour];
}

/** Layers of highlighted streets. */
export const HIGHLIGHT_LAYERS = ['glow', 'mesh', 'gone'];

/** Empty layers are hidden because they cost time in every frame. */
export const visible = (lit: Highlights): 'visible' | 'none' => (lit.features.length > 0 ? 'visible' : 'none');

/** Builds the style for a tile URL and a set of highlighted streets. */
export function style(palette: Palette, { tiles, maxzoom, lit }: { tiles: string; maxzoom: number; lit: Highlights }): StyleSpecification {
  const layer = { source: SOURCE, 'source-layer': 'streets' } as const;
  // Round caps have three times as many triangles and are invisible on thin lines.
  const ends: LineLayerSpecification['layout'] = { 'line-cap': ['step', ['zoom'], 'butt', 14, 'round'], 'line-join': ['step', ['zoom'], 'bevel', 14, 'round'] };
  const lights = { source: HIGHLIGHT_SOURCE, layout: { ...ends, visibility: visible(lit) } };
  return {
    version: 8,
    sources: {
      [SOURCE]: { type: 'vector', tiles: [tiles], minzoom: 0, maxzoom },
      [HIGHLIGHT_SOURCE]: { type: 'geojson', data: lit, maxzoom, buffer: 64 },
    },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': palette.ground } },
      {
        // All streets in one layer: it dominates the cost of a frame.
        id: 'streets', type: 'line', ...layer, layout: ends,
        paint: {
          'line-color': ['step', ['get', 'rank'], palette.street[0], 4, palette.street[1]],
          'line-width': width(0),
        },
      },
      {
        id: 'glow', type: 'line', ...lights, minzoom: 12, filter: ['>', ['get', 's'], 0],
        paint: { 'line-color': meshColour(palette, 0.3), 'line-width': width(4.5) },
      },
      {
        id: 'mesh', type: 'line', ...lights, filter: ['>', ['get', 's'], 0],
        paint: { 'line-color': meshColour(palette, 1), 'line-width': width(0.8) },
      },
      {
        id: 'gone', type: 'line', source: HIGHLIGHT_SOURCE, filter: ['>', ['get', 'g'], 0], layout: { 'line-join': 'round', visibility: visible(lit) },
        paint: { 'line-color': palette.gone, 'line-width': width(0.8), 'line-opacity': ['get', 'g'], 'line-dasharray': [1.5, 1.5] },
      },
      {
        id: 'one-way', type: 'symbol', ...layer, minzoom: 15.5, filter: ['==', ['get', 'oneway'], true],
        layout: { 'text-field': '›', 'text-font': FONT, 'text-size': 16, 'symbol-placement': 'line', 'symbol-spacing': 90, 'text-keep-upright': false },
        paint: { 'text-color': palette.label, 'text-opacity': 0.7 },
      },
      {
        id: 'names', type: 'symbol', ...layer, minzoom: 14.5,
        layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 11, 'symbol-placement': 'line', 'symbol-spacing': 320 },
        paint: { 'text-color': palette.label, 'text-halo-color': palette.halo, 'text-halo-width': 1.4 },
      },
      {
        id: 'pois', type: 'circle', source: SOURCE, 'source-layer': 'pois', minzoom: 14,
        paint: {
          'circle-color': palette.poi, 'circle-opacity': 0.75,
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 14, 1.8, 17, 4.5],
        },
      },
      {
        id: 'poi-names', type: 'symbol', source: SOURCE, 'source-layer': 'pois', minzoom: 16.5,
        layout: { 'text-field': ['coalesce', ['get', 'name'], ['get', 'category']], 'text-font': FONT, 'text-size': 11, 'text-offset': [0, 0.9], 'text-anchor': 'top' },
        paint: { 'text-color': palette.poi, 'text-halo-color': palette.halo, 'text-halo-width': 1.4 },
      },
    ],
  };
}
