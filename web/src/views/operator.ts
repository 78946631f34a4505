// The operator of a real gateway sees its health, its pace and the regions it publishes. Nobody
// is on this map: the gateway tells nobody where people are, its operator included.

import { Spark } from '../charts';
import { fill, h, metres, plural, say } from '../dom';
import { MeshLayer } from '../meshes';
import { licences, report } from './live';
import type { Leave, Scene } from './view';

interface Glance {
  /** Of the batch the regions are from. */
  at: number;
  ready: boolean;
  regions: number[][];
  /** Totals, in whole tens. */
  hidden: number;
  expired: number;
  inquiries: number;
  batch_ms: number;
}

export function operator(scene: Scene): Leave {
  const map = scene.map();
  const meshes = new MeshLayer(map);
  const rate = (v: number): [string, string] => [v.toLocaleString('en', { maximumFractionDigits: 1 }), '/s'];
  const hidden = new Spark('People hidden', rate, { id: 'hidden' });
  const expired = new Spark('Questions expired', rate, { id: 'expired' });
  const inquiries = new Spark('Questions to the service', rate, { id: 'inquiries' });
  const regions = new Spark('Regions published', rate, { id: 'regions' });
  const batch = new Spark('Time for a batch', (v) => [v.toFixed(1), 'ms'], { id: 'batch' });
  const status = h('p', { role: 'status', id: 'status' }, 'Looking…');
  let last: { glance: Glance; when: number } | null = null;

  const source = new EventSource('./ops/live');
  source.onerror = () => say(status, 'The gateway does not answer. Trying again…');
  source.onmessage = (event: MessageEvent<string>) => {
    const glance = JSON.parse(event.data) as Glance;
    const when = performance.now();
    say(status, glance.ready ? 'The gateway is well and takes queries.' : 'The gateway is stopping; it takes no more queries.');
    meshes.push(glance.regions);
    const seconds = last ? Math.max(0.05, (when - last.when) / 1000) : 0;
    if (last) {
      hidden.push((glance.hidden - last.glance.hidden) / seconds);
      expired.push((glance.expired - last.glance.expired) / seconds);
      inquiries.push((glance.inquiries - last.glance.inquiries) / seconds);
      regions.push(glance.regions.length / seconds);
      batch.push(glance.batch_ms);
    }
    last = { glance, when };
  };

  fill(
    scene.panel,
    h('div', { class: 'part' },
      h('h1', null, 'This gateway'),
      status,
      h('p', { class: 'soft' }, 'What lights up on the map is what the service is asked about, and all that anybody gets to see. Positions of people are in no answer of this gateway.'),
      h('p', { class: 'soft small' }, `Map: ${plural(scene.info.streets, 'street')}, ${metres(scene.info.metres)}.`)),
    h('div', { class: 'part' }, h('h2', null, 'The last two minutes'),
      h('div', { class: 'sparks' }, hidden.element, expired.element, regions.element, inquiries.element, batch.element)),
    h('div', { class: 'part small' },
      h('p', null, h('a', { href: './v1/openapi.json' }, 'The API, as an OpenAPI document')),
      report(scene),
      licences()),
  );
  return () => {
    [hidden, expired, regions, inquiries, batch].forEach((spark) => spark.remove());
    source.close();
    meshes.clear();
  };
}
