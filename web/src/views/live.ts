// Live: the city, the crowd, the meshes that are published each second, and how it goes.

import { Spark } from '../charts';
import { CrowdLayer } from '../crowd';
import { fill, h, plural, say } from '../dom';
import { MeshLayer } from '../meshes';
import { type Second, stream } from '../stream';
import type { Leave, Scene } from './view';

const percent = (v: number): [string, string] => [(v * 100).toFixed(v < 0.9995 ? 1 : 0), '%'];
const count = (v: number): [string, string] => [v.toLocaleString('en', { maximumFractionDigits: 0 }), ''];
const fixed = (unit: string, digits: number) => (v: number): [string, string] => [v.toFixed(digits), unit];

export function live(scene: Scene): Leave {
  const map = scene.map();
  const crowd = new CrowdLayer(map);
  const meshes = new MeshLayer(map);
  const sparks = {
    asked: new Spark('Questions a second', count, { id: 'asked' }),
    success: new Spark('Hidden in time', percent, { max: 1, id: 'success' }),
    waiting: new Spark('Waiting now', count, { id: 'waiting' }),
    expired: new Spark('Gave up, a second', count, { id: 'expired' }),
    size: new Spark('People in a set', fixed('', 1), { id: 'set-size' }),
    delay: new Spark('Wait until hidden', fixed('s', 2), { id: 'delay' }),
    sets: new Spark('Meshes a second', count, { id: 'sets' }),
    batch: new Spark('Time for a batch', fixed('ms', 1), { id: 'batch' }),
  };
  const status = h('p', { class: 'soft small', id: 'status', role: 'status' }, 'Waiting for the first second…');
  let told = 0;
  const stop = stream.listen(
    (second, people) => {
      crowd.push(people);
      meshes.push(second.regions);
      push(sparks, second);
      // Screen readers are told now and then, not every second.
      if (second.second - told >= 10 || told === 0 || second.second < told) {
        told = second.second;
        say(status, sentence(second));
      }
    },
    (alive) => {
      if (!alive) say(status, 'The connection was lost. Trying again…');
      told = 0;
    },
  );
  fill(
    scene.panel,
    h(
      'div', { class: 'part' },
      h('h1', null, 'Hidden among others, street by street'),
      h('p', { class: 'soft' },
        'People ask what is near them. MeshCloak waits a moment until each can be hidden among enough others within reach on the street map. Then it asks about the streets they share: a mesh.'),
      status,
      h('ul', { class: 'legend' },
        h('li', null, h('span', { class: 'dot idle' }), 'going about'),
        h('li', null, h('span', { class: 'dot waiting' }), 'asked, waits'),
        h('li', null, h('span', { class: 'dot hidden' }), 'just hidden'),
        h('li', null, h('span', { class: 'stroke meshes' }), 'published meshes, fading')),
    ),
    h('div', { class: 'part' }, h('h2', null, 'The last two minutes'), h('div', { class: 'sparks' }, ...Object.values(sparks).map((s) => s.element))),
    h(
      'div', { class: 'part' },
      h('div', { class: 'note' },
        'These people are simulated. That is the only reason why you can see them: a real gateway has no route that returns where anybody is. It shows meshes only.'),
      h('div', { class: 'buttons' }, h('a', { href: '#ask' }, 'Be one of them →'), h('a', { href: '#attack' }, 'See what an attacker sees →')),
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
  return `${plural(counts.present, 'person', 'people')} in the city; this second ${plural(counts.asked, 'question')}, ${plural(counts.sets, 'mesh', 'meshes')}.`;
}

export function report(scene: Scene): HTMLElement | null {
  return scene.page.report === null
    ? null
    : h('p', { class: 'small' }, h('a', { href: scene.page.report }, 'The last evaluation report'));
}

export const licences = (): HTMLElement =>
  h('p', { class: 'small soft' }, 'The map is drawn by ', h('a', { href: './licences.txt' }, 'MapLibre'), '.');
