// Live view: city, agents, published meshes and counters.

import { Spark } from '../charts';
import { AgentLayer } from '../agents';
import { post } from '../api/client';
import { fill, h, plural, setText } from '../dom';
import { MeshLayer } from '../meshes';
import { type Second, stream } from '../stream';
import type { Cleanup, Scene } from './view';

const percent = (v: number): [string, string] => [(v * 100).toFixed(v < 0.9995 ? 1 : 0), '%'];
const count = (v: number): [string, string] => [v.toLocaleString('en', { maximumFractionDigits: 0 }), ''];
const fixed = (unit: string, digits: number) => (v: number): [string, string] => [v.toFixed(digits), unit];

export function live(scene: Scene): Cleanup {
  const map = scene.map();
  const crowd = new AgentLayer(map);
  const meshes = new MeshLayer(map);
  const sparks = {
    asked: new Spark('Queries per second', count, { id: 'asked' }),
    success: new Spark('Success rate', percent, { max: 1, id: 'success' }),
    waiting: new Spark('Waiting', count, { id: 'waiting' }),
    expired: new Spark('Expired per second', count, { id: 'expired' }),
    size: new Spark('Users per set', fixed('', 1), { id: 'set-size' }),
    delay: new Spark('Delay', fixed('s', 2), { id: 'delay' }),
    sets: new Spark('Meshes per second', count, { id: 'sets' }),
    batch: new Spark('Batch time', fixed('ms', 1), { id: 'batch' }),
  };
  const status = h('p', { class: 'soft small', id: 'status', role: 'status' }, 'Waiting for the first update…');
  let told = 0;
  const stop = stream.listen(
    (second, people) => {
      crowd.push(people);
      meshes.push(second.regions);
      push(sparks, second);
      // Status for screen readers at most every ten seconds.
      if (second.second - told >= 10 || told === 0 || second.second < told) {
        told = second.second;
        setText(status, sentence(second));
      }
    },
    (alive) => {
      if (!alive) setText(status, 'Connection lost. Reconnecting…');
      told = 0;
    },
  );
  fill(
    scene.panel,
    h(
      'div', { class: 'part' },
      h('h1', null, 'Location privacy on the street map'),
      h('p', { class: 'soft' },
        'Users ask what is near them. MeshCloak holds each query until its user can be hidden among k users within mutual reach on the street map. Then it asks the service about the streets they share: a mesh.'),
      status,
      h('ul', { class: 'legend' },
        h('li', null, h('span', { class: 'dot idle' }), 'moving'),
        h('li', null, h('span', { class: 'dot waiting' }), 'query waiting'),
        h('li', null, h('span', { class: 'dot hidden' }), 'just published'),
        h('li', null, h('span', { class: 'stroke meshes' }), 'published meshes, fading')),
    ),
    presence(scene),
    h('div', { class: 'part' }, h('h2', null, 'The last two minutes'), h('div', { class: 'sparks' }, ...Object.values(sparks).map((s) => s.element))),
    h(
      'div', { class: 'part' },
      h('div', { class: 'note' },
        'These users are simulated; only therefore are they visible. A real gateway has no route that returns a position. It shows meshes only.'),
      h('div', { class: 'buttons' }, h('a', { href: '#ask' }, 'Ask as a user →'), h('a', { href: '#attack' }, 'Attack view →')),
      report(scene),
      licences(),
    ),
  );
  return () => {
    stop();
    Object.values(sparks).forEach((spark) => spark.remove());
    crowd.remove();
    meshes.clear();
  };
}

/** Switch "people share their presence": users without a question count towards k of others. */
function presence(scene: Scene): HTMLElement | null {
  const demo = scene.demo;
  if (!demo) return null;
  const box = h('input', {
    type: 'checkbox',
    id: 'presence',
    onchange: () => {
      demo.presence = box.checked;
      void post('./demo/presence', { shared: box.checked });
    },
  });
  box.checked = demo.presence;
  return h('div', { class: 'part' },
    h('label', { class: 'switch' }, box, ' People share their presence'),
    h('p', { class: 'soft small' },
      'Users without a question report where they are and count towards k of those who ask; nothing is asked for them. Switch it off: only users who ask at the same time hide one another. The success rate follows within 20 seconds.'));
}

function push(sparks: Record<string, Spark>, { counts }: Second): void {
  sparks['asked']?.push(counts.asked);
  sparks['success']?.push(counts.success);
  sparks['waiting']?.push(counts.waiting);
  sparks['expired']?.push(counts.expired);
  sparks['size']?.push(counts.set_size);
  sparks['delay']?.push(counts.delay);
  sparks['sets']?.push(counts.sets);
  sparks['batch']?.push(counts.batch_ms);
}

function sentence({ counts }: Second): string {
  return `${plural(counts.present, 'user')} in the city; in this batch ${plural(counts.asked, 'query', 'queries')}, ${plural(counts.sets, 'mesh', 'meshes')}.`;
}

export function report(scene: Scene): HTMLElement | null {
  return scene.page.report === null
    ? null
    : h('p', { class: 'small' }, h('a', { href: scene.page.report }, 'The last evaluation report'));
}

export const licences = (): HTMLElement =>
  h('p', { class: 'small soft' }, 'The map is drawn by ', h('a', { href: './licences.txt' }, 'MapLibre'), '.');
