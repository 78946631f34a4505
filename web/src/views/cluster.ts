// State of the cluster: cities, owners, frontends and takeovers, as this frontend hears them.

import { get } from '../api/client';
import { fill, h, plural, setText } from '../dom';
import type { Cleanup, Scene } from './view';

interface Shard {
  city: string;
  shard: number;
  shards: number;
  owner: string;
  epoch: number;
  waiting: number;
  lag_ms: number;
  guarantee: string;
  unknown_seconds: number;
}

interface Takeover {
  at: number;
  city: string;
  shard: number;
  from: string;
  to: string;
  epoch: number;
  is_move: boolean;
}

interface ClusterState {
  shards: Shard[];
  engines: { name: string; owned: number }[];
  frontends: { name: string; address: string; stopping: boolean }[];
  takeovers: Takeover[];
}

const PAUSE = 1000;

function table(id: string, head: string[], rows: (string | number)[][]): HTMLElement {
  const top = h('tr', null, ...head.map((title) => h('th', { scope: 'col' }, title)));
  const line = ([first, ...rest]: (string | number)[]): HTMLElement =>
    h('tr', null, h('th', { scope: 'row' }, first), ...rest.map((value) => h('td', null, value)));
  return h('table', { id }, h('thead', null, top), h('tbody', null, ...rows.map(line)));
}

const name = ({ city, shard, shards }: Shard): string => (shards > 1 ? `${city} ${shard}/${shards}` : city);

function cities(state: ClusterState): HTMLElement {
  const rows = state.shards.map((s) => [name(s), s.owner, s.epoch, s.waiting, s.lag_ms]);
  return table('cities', ['City', 'Owner', 'Epoch', 'Waiting', 'Lag (ms)'], rows);
}

/** Guarantees in use, and where `history` is refused. */
function guarantees(shards: Shard[]): string {
  const names = [...new Set(shards.map(({ guarantee }) => guarantee))].join(', ');
  const refused = shards.filter((s) => s.unknown_seconds > 0).map((s) => `${name(s)} for ${s.unknown_seconds} s`);
  return `Guarantee: ${names || 'unknown'}.${refused.length > 0 ? ` History is refused after a lost log: ${refused.join(', ')}.` : ''}`;
}

function change({ at, city, shard, from, to, epoch, is_move: moved }: Takeover, several: boolean): HTMLElement {
  const time = new Date(at).toLocaleTimeString('en-GB');
  const place = several ? `${city} ${shard}` : city;
  return h('li', null, `${time} · ${place}: ${to} ${moved ? 'was handed the city by' : 'took over from'} ${from} (epoch ${epoch})`);
}

export function cluster(scene: Scene): Cleanup {
  scene.map();
  const status = h('p', { role: 'status', id: 'status' }, 'Connecting…');
  const owners = h('div', null);
  const processes = h('div', null);
  const takeovers = h('div', { id: 'takeovers' });
  let timer = 0;
  let left = false;

  const show = (state: ClusterState): void => {
    const { shards, engines, frontends } = state;
    const count = new Set(shards.map((shard) => shard.city)).size;
    const processesText = `${plural(engines.length, 'engine')} and ${plural(frontends.length, 'frontend')}`;
    setText(status, `${plural(count, 'city', 'cities')} with an owner, ${processesText}.`);
    fill(owners, cities(state), h('p', { class: 'soft small' }, guarantees(shards)));
    const shown = [
      ...engines.map(({ name, owned }) => [name, 'engine', plural(owned, 'shard')]),
      ...frontends.map(({ name, address, stopping }) => [name, 'frontend', stopping ? 'stopping' : address]),
    ];
    fill(processes, table('processes', ['Process', 'Role', 'State'], shown));
    const several = shards.some((shard) => shard.shards > 1);
    const changes = state.takeovers.map((takeover) => change(takeover, several));
    fill(takeovers, changes.length > 0 ? h('ul', { class: 'found small' }, ...changes) : h('p', { class: 'soft' }, 'None since this frontend started.'));
  };

  const poll = (): void => {
    get<ClusterState>('./ops/cluster')
      .then(show, () => setText(status, 'The frontend does not respond. Retrying…'))
      .finally(() => {
        if (!left) timer = window.setTimeout(poll, PAUSE);
      });
  };
  poll();

  fill(
    scene.panel,
    h('div', { class: 'part' },
      h('h1', null, 'Cluster'),
      status,
      h('p', { class: 'soft' }, 'An engine owns each city by a lease. The epoch rises with each owner; numbers of waiting queries are rounded to tens.')),
    h('div', { class: 'part' }, h('h2', null, 'Cities'), owners),
    h('div', { class: 'part' }, h('h2', null, 'Takeovers'), takeovers),
    h('div', { class: 'part' }, h('h2', null, 'Processes'), processes),
  );
  return () => {
    left = true;
    window.clearTimeout(timer);
  };
}
