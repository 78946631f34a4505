// Brute-force reference for answers: Bellman-Ford distances from a position to every point of
// interest, on files exported by the program.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binary } from './harness.mjs';

function csv(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const names = head.trim().split(',');
  return lines.map((line) => {
    const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((cell) => cell.replace(/,$/, '').replace(/^"|"$/g, '').replaceAll('""', '"'));
    return Object.fromEntries(names.map((name, i) => [name, cells[i]?.trim() ?? '']));
  });
}

export function readMap(map) {
  const folder = mkdtempSync(join(tmpdir(), 'meshcloak-'));
  execFileSync(binary, ['--quiet', 'map', 'convert', map, join(folder, 'm.nodes.csv')]);
  const nodes = new Map(csv(join(folder, 'm.nodes.csv')).map((n) => [n.id, { x: +n.x, y: +n.y, lon: +n.lon, lat: +n.lat }]));
  const streets = csv(join(folder, 'm.streets.csv')).map((s) => {
    const [a, b] = [nodes.get(s.from), nodes.get(s.to)];
    const inner = /\((.*)\)/.exec(s.shape ?? '');
    const shape = inner ? inner[1].split(',').map((p) => p.trim().split(/\s+/).map(Number)).map(([x, y]) => ({ x, y })) : [a, b];
    return { id: s.id, from: s.from, to: s.to, oneway: ['1', 'true', 'yes'].includes(s.oneway), length: +s.length, shape };
  });
  const pois = csv(join(folder, 'm.pois.csv')).map((p) => ({ id: p.id, name: p.name, category: p.category ?? p.cat, x: +p.x, y: +p.y, lon: +p.lon, lat: +p.lat }));
  return { nodes, streets, pois };
}

const apart = (a, b) => Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2);

/** The nearest place on a street. */
export function snap(map, point) {
  let best = { gap: Infinity };
  for (const street of map.streets) {
    let before = 0;
    const total = street.shape.slice(1).reduce((sum, p, i) => sum + apart(p, street.shape[i]), 0);
    for (let i = 1; i < street.shape.length; i++) {
      const [a, b] = [street.shape[i - 1], street.shape[i]];
      const long = apart(a, b);
      const t = long === 0 ? 0 : Math.min(1, Math.max(0, ((point.x - a.x) * (b.x - a.x) + (point.y - a.y) * (b.y - a.y)) / long ** 2));
      const gap = apart(point, { x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) });
      if (gap < best.gap - 1e-9) best = { gap, street, offset: total === 0 ? 0 : ((before + t * long) / total) * street.length };
      before += long;
    }
  }
  return best;
}

/** Metres along streets from one place to everything else. */
export function ways(map, from) {
  const far = new Map([...map.nodes.keys()].map((id) => [id, Infinity]));
  const start = (id, metres) => far.set(id, Math.min(far.get(id), metres));
  start(from.street.to, from.street.length - from.offset);
  if (!from.street.oneway) start(from.street.from, from.offset);
  for (let changed = true; changed; ) {
    changed = false;
    for (const s of map.streets) {
      const legs = s.oneway ? [[s.from, s.to]] : [[s.from, s.to], [s.to, s.from]];
      for (const [a, b] of legs) {
        if (far.get(a) + s.length < far.get(b) - 1e-9) {
          far.set(b, far.get(a) + s.length);
          changed = true;
        }
      }
    }
  }
  return (to) => {
    const { street, offset } = to;
    let way = far.get(street.from) + offset;
    if (!street.oneway) way = Math.min(way, far.get(street.to) + street.length - offset);
    if (street === from.street) {
      if (offset >= from.offset) way = Math.min(way, offset - from.offset);
      else if (!street.oneway) way = Math.min(way, from.offset - offset);
    }
    return way;
  };
}

/** A place on Earth in the metres of the map: found by walking there from the nearest node. */
export function metresOf(map, { lon, lat }) {
  const all = [...map.nodes.values()].map((n) => ({ n, gap: (n.lon - lon) ** 2 + (n.lat - lat) ** 2 })).sort((a, b) => a.gap - b.gap);
  const near = all.slice(0, 60).map(({ n }) => n);
  const fit = (key) => solve(near.map((n) => [n.lon - lon, n.lat - lat, 1]), near.map((n) => n[key]));
  return { x: fit('x')[2], y: fit('y')[2] };
}

/** Least squares of three unknowns. */
function solve(rows, values) {
  const m = [0, 1, 2].map((i) => [0, 1, 2].map((j) => rows.reduce((sum, r) => sum + r[i] * r[j], 0)));
  const v = [0, 1, 2].map((i) => rows.reduce((sum, r, k) => sum + r[i] * values[k], 0));
  for (let i = 0; i < 3; i++) {
    const pivot = [i, i + 1, i + 2].filter((k) => k < 3).sort((a, b) => Math.abs(m[b][i]) - Math.abs(m[a][i]))[0];
    [m[i], m[pivot]] = [m[pivot], m[i]];
    [v[i], v[pivot]] = [v[pivot], v[i]];
    for (let k = 0; k < 3; k++) {
      if (k === i) continue;
      const part = m[k][i] / m[i][i];
      m[k] = m[k].map((value, j) => value - part * m[i][j]);
      v[k] -= part * v[i];
    }
  }
  return v.map((value, i) => value / m[i][i]);
}
