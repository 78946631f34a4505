// Attack view: one target, one batch, two schemes side by side. Published streets are highlighted;
// streets that the adversary can rule out are dashed.

import { type Comparison, type Side, post } from '../api/client';
import { CityMap, type Overlay } from '../citymap';
import { choice, fill, h, metres, plural } from '../dom';
import { type LonLat, world } from '../mercator';
import { palette } from '../theme';
import type { Cleanup, Scene } from './view';

interface Half {
  map: CityMap;
  tag: HTMLElement;
  side: Side | null;
}

export function attack(scene: Scene): Cleanup {
  const demo = scene.demo;
  if (!demo) return () => undefined;
  scene.stage.className = 'split';
  const pick = (key: string, list: { id: string }[], usual: number): string =>
    list.find((x) => x.id === scene.params.get(key))?.id ?? list[Math.min(usual, list.length - 1)]?.id ?? '';
  const selection = {
    left: pick('left', demo.schemes, demo.schemes.findIndex((s) => s.id === 'planar-laplace')),
    right: pick('right', demo.schemes, demo.schemes.findIndex((s) => s.id === 'history')),
    attack: pick('attack', demo.attacks, 0),
    moment: scene.params.get('moment'),
    victim: scene.params.get('victim'),
  };
  let now: Comparison | null = null;
  let ended = false;
  let asked = 0;
  let given = scene.params.has('at');
  const halves = ['Left', 'Right'].map((name): Half => {
    const tag = h('div', { class: 'tag' });
    const side = h('div', { class: 'side' });
    scene.stage.append(side);
    const map = new CityMap(side, scene.info, `${name} scheme`, scene.params.get('at'));
    side.append(tag);
    const half: Half = { map, tag, side: null };
    map.onOverlay((overlay) => {
      marks(overlay, half, now);
      return false;
    });
    return half;
  });
  const together = follow(halves, (camera) => scene.keep({ at: camera }));

  const results = h('div', { class: 'part', id: 'results', 'aria-live': 'polite' }, h('p', { class: 'soft' }, 'Attacking…'));
  const options = demo.schemes.map((s) => ({ value: s.id, label: s.label }));
  const change = (key: 'left' | 'right' | 'attack') => (value: string): void => {
    selection[key] = value;
    scene.keep({ [key]: value });
    void run();
  };
  const about = h('p', { class: 'soft small' });
  const left = choice('Left', options, selection.left, change('left'));
  const right = choice('Right', options, selection.right, change('right'));
  const which = choice('Attack', demo.attacks.map((a) => ({ value: a.id, label: a.label })), selection.attack, change('attack'));
  const preset = (one: string, other: string, attackId?: string) => (): void => {
    const known = (id: string, list: { id: string }[]): boolean => list.some((x) => x.id === id);
    if (known(one, demo.schemes) && known(other, demo.schemes)) [selection.left, selection.right] = [one, other];
    if (attackId && known(attackId, demo.attacks)) selection.attack = attackId;
    left.select.value = selection.left;
    right.select.value = selection.right;
    which.select.value = selection.attack;
    scene.keep({ left: selection.left, right: selection.right, attack: selection.attack });
    void run();
  };
  const again = (victim: 'same' | 'other', moment: 'same' | 'new'): void => {
    selection.victim = victim === 'same' ? selection.victim : 'next';
    if (moment === 'new') [selection.moment, selection.victim] = [null, null];
    void run();
  };

  const run = async (): Promise<void> => {
    const turn = ++asked;
    about.textContent = demo.attacks.find((a) => a.id === selection.attack)?.about ?? '';
    results.setAttribute('aria-busy', 'true');
    try {
      const answer = await post<Comparison | { message: string }>('./demo/compare', {
        schemes: [selection.left, selection.right],
        attack: selection.attack,
        moment: selection.moment === null ? null : Number(selection.moment),
        victim: selection.victim === null || selection.victim === 'next' ? null : Number(selection.victim),
        after: selection.victim === 'next' ? (now?.victim?.number ?? null) : null,
      });
      if (ended || turn !== asked) return;
      if ('message' in answer) {
        fill(results, h('p', { class: 'soft' }, `Not available yet: ${answer.message}.`));
        setTimeout(() => void (turn === asked && !ended && run()), 1500);
        return;
      }
      now = answer;
      const forgotten = selection.moment !== null && selection.moment !== String(answer.moment);
      selection.moment = String(answer.moment);
      selection.victim = answer.victim ? String(answer.victim.number) : null;
      scene.keep({ moment: selection.moment, victim: selection.victim });
      halves.forEach((half, i) => show(half, answer.sides[i] ?? null, scene));
      fill(results, forgotten ? h('div', { class: 'note' }, 'The batch of this link is no longer stored; another one is shown.') : null, ...table(answer, scene));
      // The camera of a link is applied once.
      if (!given) look(halves, answer);
      given = false;
    } catch (error) {
      if (!ended) fill(results, h('div', { class: 'note warn', role: 'alert' }, `The attack could not be run: ${String(error)}`));
    }
    results.removeAttribute('aria-busy');
  };

  fill(
    scene.panel,
    h('div', { class: 'part' },
      h('h1', null, 'What the service can infer'),
      h('p', { class: 'soft' }, 'The same users in the same batch under two schemes. The adversary knows the map, the algorithm and the published regions.'),
      h('div', { class: 'pair' }, left.field, right.field, which.field), about,
      h('div', { class: 'buttons' },
        h('button', { type: 'button', id: 'next-victim', onclick: () => again('other', 'same') }, 'Another target'),
        h('button', { type: 'button', id: 'new-moment', onclick: () => again('other', 'new') }, 'Another batch')),
      h('p', { class: 'soft small' }, 'Show side by side:'),
      h('div', { class: 'buttons' },
        h('button', { type: 'button', id: 'regions', onclick: preset('reciprocal', 'cell', 'region-inversion') }, 'Regions reach and cell'),
        h('button', { type: 'button', id: 'clocks', onclick: preset('history', 'history-published', 'matching') }, 'Clocks asked and published'),
        h('button', { type: 'button', id: 'tracker', onclick: preset('reciprocal', 'cell', 'tracker') }, 'Tracker'))),
    results,
    h('div', { class: 'part' },
      h('ul', { class: 'legend' },
        h('li', null, h('span', { class: 'stroke' }), 'possible position'),
        h('li', null, h('span', { class: 'stroke gone' }), 'ruled out'),
        h('li', null, h('span', { class: 'dot me' }), 'the target (known only to the demo)'),
        h('li', null, h('span', { class: 'stroke' }), 'tracker: believed path, with a circle of one standard deviation'))),
  );
  void run();
  return () => {
    ended = true;
    together();
    halves.forEach(({ map }) => {
      const side = map.element.parentElement;
      map.remove();
      side?.remove();
    });
  };
}

/** Keeps the cameras of both maps equal. */
function follow(halves: Half[], moved: (camera: string) => void): () => void {
  let leading = false;
  halves.forEach(({ map }, i) => {
    map.map.on('move', () => {
      if (leading) return;
      leading = true;
      const other = halves[1 - i]?.map.map;
      other?.jumpTo({ center: map.map.getCenter(), zoom: map.map.getZoom() });
      leading = false;
    });
    if (i === 0) map.map.on('moveend', () => moved(map.camera()));
  });
  return () => {
    leading = true;
  };
}

function show(half: Half, side: Side | null, scene: Scene): void {
  half.side = side;
  const scheme = scene.demo?.schemes.find((s) => s.id === side?.scheme);
  fill(half.tag, h('strong', null, scheme?.label ?? ''), h('span', { class: side?.why ? 'small' : 'small about' }, side?.why ?? scheme?.about ?? ''));
  const looks = new Map<number, { c: number; s: number; g: number }>();
  const kept = new Set(side?.kept ?? []);
  for (const street of side?.streets ?? []) looks.set(street, kept.has(street) ? { c: 0, s: 0.95, g: 0 } : { c: 0, s: 0, g: 1 });
  half.map.highlight(looks);
}

function look(halves: Half[], answer: Comparison): void {
  const corners = answer.sides.flatMap(({ bounds }): LonLat[] =>
    bounds ? [{ lon: bounds[0], lat: bounds[1] }, { lon: bounds[2], lat: bounds[3] }] : []);
  if (answer.victim) corners.push(answer.victim);
  // Leaves room for the scheme labels.
  halves[0]?.map.show(corners, { top: innerWidth > 760 ? 96 : 60, bottom: 30, left: 30, right: 30 });
}

function marks(overlay: Overlay, half: Half, now: Comparison | null): void {
  const { pen } = overlay;
  const colours = palette();
  const outline = half.side?.outline;
  if (outline) {
    pen.beginPath();
    outline.forEach(([lon, lat]) => {
      const w = world({ lon, lat });
      pen.lineTo(overlay.x(w), overlay.y(w));
    });
    pen.closePath();
    pen.strokeStyle = colours.kept;
    pen.lineWidth = 1.6;
    pen.setLineDash([6, 5]);
    pen.stroke();
    pen.setLineDash([]);
  }
  pursuit(overlay, half.side?.path ?? []);
  if (now?.victim) {
    const w = world(now.victim);
    pen.beginPath();
    pen.arc(overlay.x(w), overlay.y(w), 6.5, 0, 7);
    pen.fillStyle = colours.me;
    pen.fill();
    pen.strokeStyle = colours.ground;
    pen.lineWidth = 2;
    pen.stroke();
  }
}

/** Draws the tracker's path: a line through the mean positions, and a circle of one standard deviation each. */
function pursuit(overlay: Overlay, path: Side['path']): void {
  if (path.length === 0) return;
  const { pen } = overlay;
  const colours = palette();
  const at = path.map((point) => {
    const w = world(point);
    // One metre on the ground, in world coordinates.
    const metre = 1 / (40_075_017 * Math.cos((point.lat * Math.PI) / 180));
    const x = overlay.x(w);
    return { x, y: overlay.y(w), r: overlay.x({ ...w, x: w.x + point.radius * metre }) - x };
  });
  pen.fillStyle = colours.kept;
  pen.globalAlpha = 0.04;
  for (const { x, y, r } of at) {
    pen.beginPath();
    pen.arc(x, y, Math.max(r, 2), 0, 7);
    pen.fill();
  }
  pen.globalAlpha = 1;
  pen.beginPath();
  for (const { x, y } of at) pen.lineTo(x, y);
  pen.strokeStyle = colours.kept;
  pen.lineWidth = 2;
  pen.stroke();
  const last = at[at.length - 1];
  if (last) {
    pen.beginPath();
    pen.arc(last.x, last.y, Math.max(last.r, 2), 0, 7);
    pen.stroke();
  }
}

function table(answer: Comparison, scene: Scene): (Node | string)[] {
  if (!answer.victim) return [h('div', { class: 'note warn' }, 'No user was published by both schemes in this batch. Try another batch.')];
  const { sides, victim } = answer;
  const name = (side: Side): string => scene.demo?.schemes.find((s) => s.id === side.scheme)?.label ?? side.scheme;
  const row = (label: string, key: string, tell: (side: Side) => string, mark?: (side: Side) => string): HTMLElement =>
    h('tr', { 'data-row': key }, h('th', { scope: 'row' }, label), ...sides.map((side) => h('td', { class: side.why ? null : mark?.(side) || null }, side.why ? '–' : tell(side))));
  const people = (side: Side): string => (side.k_left === null ? '–' : String(Math.round(side.k_left * 10) / 10));
  return [
    h('p', null, `User ${victim.number + 1} asked for k = ${victim.k}.`),
    h('table', null,
      h('thead', null, h('tr', null, h('td', null), ...sides.map((side) => h('th', { scope: 'col' }, name(side))))),
      h('tbody', null,
        row('Published', 'metres', (s) => metres(s.metres)),
        row('Remaining after the attack', 'left', (s) => metres(s.metres_left)),
        row('Streets ruled out', 'out', (s) => `${s.streets.length - s.kept.length} of ${s.streets.length}`),
        row('Remaining candidates, k′', 'people', people, (s) => ((s.k_left ?? 0) < victim.k ? 'bad' : 'better')),
        row('Expected error', 'error', (s) => (s.error === null ? '–' : metres(s.error))))),
    ...sides.filter((side) => side.told).map((side) => h('p', { class: 'small soft' }, h('strong', null, `${name(side)}: `), side.told)),
    h('p', { class: 'small soft' }, `${plural(answer.published, 'user')} published by both schemes in this batch.`),
  ];
}
