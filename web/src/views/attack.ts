// The attacker's view: one victim, one second, two schemes side by side. What the service saw is
// lit; what the attacker can rule out fades.

import { type Comparison, type Side, post } from '../api/client';
import { CityMap, type Glass } from '../citymap';
import { choice, fill, h, metres, plural } from '../dom';
import { type Place, world } from '../mercator';
import { palette } from '../theme';
import type { Leave, Scene } from './view';

interface Half {
  map: CityMap;
  tag: HTMLElement;
  side: Side | null;
}

export function attack(scene: Scene): Leave {
  const demo = scene.demo;
  if (!demo) return () => undefined;
  scene.stage.className = 'split';
  const pick = (key: string, list: { id: string }[], usual: number): string =>
    list.find((x) => x.id === scene.params.get(key))?.id ?? list[Math.min(usual, list.length - 1)]?.id ?? '';
  const wish = {
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
    map.onGlass((glass) => {
      marks(glass, half, now);
      return false;
    });
    return half;
  });
  const together = follow(halves, (camera) => scene.keep({ at: camera }));

  const results = h('div', { class: 'part', id: 'results', 'aria-live': 'polite' }, h('p', { class: 'soft' }, 'Attacking…'));
  const options = demo.schemes.map((s) => ({ value: s.id, label: s.label }));
  const change = (key: 'left' | 'right' | 'attack') => (value: string): void => {
    wish[key] = value;
    scene.keep({ [key]: value });
    void run();
  };
  const about = h('p', { class: 'soft small' });
  const left = choice('Left', options, wish.left, change('left'));
  const right = choice('Right', options, wish.right, change('right'));
  const which = choice('Attack', demo.attacks.map((a) => ({ value: a.id, label: a.label })), wish.attack, change('attack'));
  const again = (victim: 'same' | 'other', moment: 'same' | 'new'): void => {
    wish.victim = victim === 'same' ? wish.victim : 'next';
    if (moment === 'new') [wish.moment, wish.victim] = [null, null];
    void run();
  };

  const run = async (): Promise<void> => {
    const turn = ++asked;
    about.textContent = demo.attacks.find((a) => a.id === wish.attack)?.about ?? '';
    results.setAttribute('aria-busy', 'true');
    try {
      const answer = await post<Comparison | { message: string }>('./demo/compare', {
        schemes: [wish.left, wish.right],
        attack: wish.attack,
        moment: wish.moment === null ? null : Number(wish.moment),
        victim: wish.victim === null || wish.victim === 'next' ? null : Number(wish.victim),
        after: wish.victim === 'next' ? (now?.victim?.number ?? null) : null,
      });
      if (ended || turn !== asked) return;
      if ('message' in answer) {
        fill(results, h('p', { class: 'soft' }, `Not yet: ${answer.message}.`));
        setTimeout(() => void (turn === asked && !ended && run()), 1500);
        return;
      }
      now = answer;
      const forgotten = wish.moment !== null && wish.moment !== String(answer.moment);
      wish.moment = String(answer.moment);
      wish.victim = answer.victim ? String(answer.victim.number) : null;
      scene.keep({ moment: wish.moment, victim: wish.victim });
      halves.forEach((half, i) => show(half, answer.sides[i] ?? null, scene));
      fill(results, forgotten ? h('div', { class: 'note' }, 'The second of that link is forgotten by now; this is another one.') : null, ...table(answer, scene));
      // A link that says where to look is obeyed once.
      if (!given) look(halves, answer);
      given = false;
    } catch (error) {
      if (!ended) fill(results, h('div', { class: 'note warn', role: 'alert' }, `That did not work: ${String(error)}`));
    }
    results.removeAttribute('aria-busy');
  };

  fill(
    scene.panel,
    h('div', { class: 'part' },
      h('h1', null, 'What the service can find out'),
      h('p', { class: 'soft' }, 'The same people at the same second, hidden in two ways. The attacker knows the map, the algorithm and what was published.'),
      h('div', { class: 'pair' }, left.field, right.field, which.field), about,
      h('div', { class: 'buttons' },
        h('button', { type: 'button', id: 'next-victim', onclick: () => again('other', 'same') }, 'Another victim'),
        h('button', { type: 'button', id: 'new-moment', onclick: () => again('other', 'new') }, 'A new second'))),
    results,
    h('div', { class: 'part' },
      h('ul', { class: 'legend' },
        h('li', null, h('span', { class: 'stroke' }), 'could be there'),
        h('li', null, h('span', { class: 'stroke gone' }), 'ruled out'),
        h('li', null, h('span', { class: 'dot me' }), 'the victim, known to the demo alone'))),
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

/** Both maps look at the same place. */
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
  half.map.light(looks);
}

function look(halves: Half[], answer: Comparison): void {
  const corners = answer.sides.flatMap(({ bounds }): Place[] =>
    bounds ? [{ lon: bounds[0], lat: bounds[1] }, { lon: bounds[2], lat: bounds[3] }] : []);
  if (answer.victim) corners.push(answer.victim);
  // Below the names of the schemes.
  halves[0]?.map.show(corners, { top: innerWidth > 760 ? 96 : 60, bottom: 30, left: 30, right: 30 });
}

function marks(glass: Glass, half: Half, now: Comparison | null): void {
  const { pen } = glass;
  const colours = palette();
  const outline = half.side?.outline;
  if (outline) {
    pen.beginPath();
    outline.forEach(([lon, lat]) => {
      const w = world({ lon, lat });
      pen.lineTo(glass.x(w), glass.y(w));
    });
    pen.closePath();
    pen.strokeStyle = colours.kept;
    pen.lineWidth = 1.6;
    pen.setLineDash([6, 5]);
    pen.stroke();
    pen.setLineDash([]);
  }
  if (now?.victim) {
    const w = world(now.victim);
    pen.beginPath();
    pen.arc(glass.x(w), glass.y(w), 6.5, 0, 7);
    pen.fillStyle = colours.me;
    pen.fill();
    pen.strokeStyle = colours.ground;
    pen.lineWidth = 2;
    pen.stroke();
  }
}

function table(answer: Comparison, scene: Scene): (Node | string)[] {
  if (!answer.victim) return [h('div', { class: 'note warn' }, 'Nobody was published by both schemes in this second. Try a new second.')];
  const { sides, victim } = answer;
  const name = (side: Side): string => scene.demo?.schemes.find((s) => s.id === side.scheme)?.label ?? side.scheme;
  const row = (label: string, key: string, tell: (side: Side) => string, mark?: (side: Side) => string): HTMLElement =>
    h('tr', { 'data-row': key }, h('th', { scope: 'row' }, label), ...sides.map((side) => h('td', { class: side.why ? null : mark?.(side) || null }, side.why ? '–' : tell(side))));
  const people = (side: Side): string => (side.k_left === null ? '–' : String(Math.round(side.k_left * 10) / 10));
  return [
    h('p', null, `Person ${victim.number + 1} wants to be one of at least ${victim.k}.`),
    h('table', null,
      h('thead', null, h('tr', null, h('td', null), ...sides.map((side) => h('th', { scope: 'col' }, name(side))))),
      h('tbody', null,
        row('Published', 'metres', (s) => metres(s.metres)),
        row('Left after the attack', 'left', (s) => metres(s.metres_left)),
        row('Streets ruled out', 'out', (s) => `${s.streets.length - s.kept.length} of ${s.streets.length}`),
        row('People she could be, k′', 'people', people, (s) => ((s.k_left ?? 0) < victim.k ? 'bad' : 'better')),
        row('Expected error', 'error', (s) => (s.error === null ? '–' : metres(s.error))))),
    ...sides.filter((side) => side.told).map((side) => h('p', { class: 'small soft' }, h('strong', null, `${name(side)}: `), side.told)),
    h('p', { class: 'small soft' }, `${plural(answer.published, 'person', 'people')} were published by both in this second.`),
  ];
}
