// Operator view of a real gateway: health, throughput and published regions. It shows no user: no
// route of the gateway returns a position.

import { Spark } from '../charts';
import { fill, h, metres, plural, setText } from '../dom';
import { MeshLayer } from '../meshes';
import { licences, report } from './live';
import type { Cleanup, Scene } from './view';

interface Glance {
  /** Time of the batch of these regions. */
  at: number;
  ready: boolean;
  regions: number[][];
  /** Totals, rounded to tens. */
  hidden: number;
  expired: number;
  inquiries: number;
  batch_ms: number;
  /** Sets that the guard rejected so far, by failed check. */
  rejected: Record<string, number>;
  /** Sets without a question so far, rounded to tens. */
  idle: number;
}

/** Sets that were found and not published. */
function withheld({ rejected, idle }: Glance): string {
  const checks = Object.entries(rejected).map(([check, sets]) => `${check.replaceAll('_', ' ')} ${sets}`);
  const guard = checks.length === 0 ? 'The guard has rejected no set.' : `Sets rejected by the guard: ${checks.join(', ')}.`;
  return `${guard} Sets without a question: ${idle}.`;
}

export function operator(scene: Scene): Cleanup {
  const map = scene.map();
  const meshes = new MeshLayer(map);
  const rate = (v: number): [string, string] => [v.toLocaleString('en', { maximumFractionDigits: 1 }), '/s'];
  const hidden = new Spark('Users served', rate, { id: 'hidden' });
  const expired = new Spark('Queries expired', rate, { id: 'expired' });
  const inquiries = new Spark('Requests to the service', rate, { id: 'inquiries' });
  const regions = new Spark('Regions published', rate, { id: 'regions' });
  const batch = new Spark('Batch time', (v) => [v.toFixed(1), 'ms'], { id: 'batch' });
  const status = h('p', { role: 'status', id: 'status' }, 'Connecting…');
  const unpublished = h('p', { class: 'soft small', id: 'withheld' }, '');
  let last: { glance: Glance; when: number } | null = null;

  const source = new EventSource('./ops/live');
  source.onerror = () => setText(status, 'The gateway does not respond. Retrying…');
  source.onmessage = (event: MessageEvent<string>) => {
    const glance = JSON.parse(event.data) as Glance;
    const when = performance.now();
    setText(status, glance.ready ? 'The gateway is healthy and accepts queries.' : 'The gateway is shutting down and accepts no more queries.');
    setText(unpublished, withheld(glance));
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
      h('h1', null, 'Gateway status'),
      status,
      h('p', { class: 'soft' }, 'Highlighted streets are what the service is asked about. No response of this gateway contains a user’s position.'),
      h('p', { class: 'soft small' }, `Map: ${plural(scene.info.streets, 'street')}, ${metres(scene.info.metres)}.`)),
    h('div', { class: 'part' }, h('h2', null, 'The last two minutes'),
      h('div', { class: 'sparks' }, hidden.element, expired.element, regions.element, inquiries.element, batch.element),
      unpublished),
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
