// Entry point: one map, several views, state in the URL.

import './style.css';
import { type DemoInfo, type PageInfo, get } from './api/client';
import { CityMap, type MapInfo } from './citymap';
import { fill, h } from './dom';
import { type View, keep, link, read } from './hash';
import { themeButton } from './theme';
import { ask } from './views/ask';
import { attack } from './views/attack';
import { cluster } from './views/cluster';
import { live } from './views/live';
import { operator } from './views/operator';
import type { Cleanup, Scene } from './views/view';

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const names: Record<View, string> = { live: 'Live', ask: 'Ask as a user', attack: 'Attack view', operator: 'Gateway status', cluster: 'Cluster' };
const shows: Record<View, (scene: Scene) => Cleanup> = { live, ask, attack, operator, cluster };

async function start(): Promise<void> {
  themeButton(element('theme'));
  const [page, info] = await Promise.all([get<PageInfo>('./page/info'), get<MapInfo>('./map/info')]);
  const coming = page.demo ? get<DemoInfo>('./demo/info') : null;
  const views: View[] = page.demo ? ['live', 'ask', 'attack'] : page.cluster ? ['operator', 'cluster'] : ['operator'];
  const first = views[0] ?? 'operator';
  const stage = element('stage');
  const panel = element('panel');
  let shared: CityMap | null = null;
  let leave: Cleanup = () => undefined;

  const map = (): CityMap => {
    if (shared) return shared;
    const made = new CityMap(stage, info, 'Map of the city', read(first).params.get('at'));
    made.map.on('moveend', () => {
      if (shared === made && made.element.isConnected) keep(first, { at: made.camera() });
    });
    shared = made;
    return made;
  };

  // Most views share this map, so it is created before the remaining metadata arrives.
  if (read(first).view !== 'attack') map();
  const demo = await coming;

  const show = (): void => {
    const state = read(first);
    const view = views.includes(state.view) ? state.view : first;
    leave();
    if (view === 'attack' && shared) {
      shared.remove();
      shared = null;
    }
    stage.className = '';
    document.title = `${names[view]} · MeshCloak`;
    fill(element('views'), ...views.map((v) => h('a', { href: link(v), 'aria-current': v === view ? 'page' : null }, names[v])));
    panel.scrollTop = 0;
    const at = state.params.get('at');
    if (shared && at) shared.look(at);
    else if (shared) keep(first, { at: shared.camera() });
    leave = shows[view]({ page, info, demo, stage, panel, map, params: state.params, keep: (values) => keep(first, values) });
  };
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault();
    panel.focus();
  });
  addEventListener('hashchange', show);
  show();
}

start().catch((error: unknown) => {
  fill(element('panel'), h('div', { class: 'note warn', role: 'alert' }, `The page could not start: ${String(error)}`));
});
