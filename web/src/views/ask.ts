// View "Ask as a user": choose a position, send a query, and follow its steps.

import { type QueryRequest, type QueryResult, type Refusal, type Truth, post } from '../api/client';
import { AgentLayer } from '../agents';
import { fill, h } from '../dom';
import { MeshLayer } from '../meshes';
import { lonLat, world, type LonLat } from '../mercator';
import { at, stream } from '../stream';
import { Form } from './ask-form';
import { Markers } from './ask-markers';
import { Steps } from './ask-steps';
import type { Cleanup, Scene } from './view';

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

export function ask(scene: Scene): Cleanup {
  const map = scene.map();
  const crowd = new AgentLayer(map);
  const marks = new Markers(map);
  const meshes = new MeshLayer(map, 0);
  const story = new Steps();
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let following: number | null = null;
  let busy: AbortController | null = null;
  // Set when an agent was requested before the first update arrived.
  let wanted = false;

  const form = new Form(scene, {
    middle: () => stand(fromMap()),
    agent: () => pick(),
    ask: () => void go(),
  });

  const fromMap = (): LonLat => {
    const { lng, lat } = map.map.getCenter();
    return { lon: lng, lat };
  };
  const stand = (where: LonLat): void => {
    following = null;
    marks.clear();
    meshes.clear();
    marks.me = world(where);
    form.place = where;
    form.tell('Your position is the pink dot. The gateway snaps it to the nearest street.');
    scene.keep({ lon: where.lon.toFixed(6), lat: where.lat.toFixed(6), follow: null });
  };
  const follow = (person: number | null): void => {
    following = person;
    if (person === null) return;
    form.tell(`You follow agent ${person + 1} of the simulation.`);
    scene.keep({ follow: person, lon: null, lat: null });
    marks.clear();
    meshes.clear();
    step();
  };
  const pick = (): void => {
    const state = stream.last?.crowd.state ?? [];
    const others = [...state.keys()].filter((i) => state[i] && i !== following);
    wanted = others.length === 0;
    if (!wanted) follow(others[Math.floor(Math.random() * others.length)] ?? null);
  };
  const step = (): void => {
    const there = following === null || !stream.last ? null : at(stream.last.crowd, following);
    if (!there) return;
    form.place = lonLat(there);
    if (marks.showsResult) return;
    marks.me = there;
    if (!map.map.getBounds().contains([form.place.lon, form.place.lat])) map.show([form.place]);
  };

  const go = async (): Promise<void> => {
    const request = form.request();
    if (!request || busy) return;
    busy = new AbortController();
    form.busy(true);
    marks.clear();
    meshes.clear();
    crowd.faint = true;
    story.wait(request);
    try {
      const result = await post<QueryResult | Refusal>('./v1/queries', request, busy.signal);
      await tell(request, result);
    } catch (error) {
      if (!busy.signal.aborted) story.trouble(`The request to the gateway failed: ${String(error)}`);
    }
    busy = null;
    form.busy(false);
  };

  const tell = async (request: QueryRequest, result: QueryResult | Refusal): Promise<void> => {
    if (result.outcome === 'refused') return story.refused(result as Refusal);
    const standing = { lon: request.lon, lat: request.lat, dc: (request.speed ?? 0) * (request.interval ?? 0) };
    const truth = await post<Truth>(`./demo/asked/${encodeURIComponent(request.ticket)}`, standing);
    const ended = result as QueryResult;
    if (ended.outcome !== 'answered') return story.expired(request, ended, truth);
    const mesh = await map.extent(truth.streets);
    const steps: (() => void)[] = [
      () => {
        marks.set(truth);
        story.set(truth);
        const places = truth.askers.map(([lon, lat]) => ({ lon, lat }));
        map.show([...places, ...mesh, ...(ended.answer ?? [])], 40);
      },
      () => {
        meshes.push([truth.streets]);
        story.mesh(truth);
      },
      () => {
        marks.objects = truth.objects;
        story.answers(truth);
      },
      () => {
        marks.found = ended.answer ?? [];
        story.found(ended, truth);
      },
    ];
    for (const next of steps) {
      next();
      await pause(reducedMotion ? 0 : 900);
    }
  };

  const click = (event: { lngLat: { lng: number; lat: number }; point: { x: number; y: number } }): void => {
    const overlay = { x: (w: { x: number; y: number }) => map.map.project(lngLat(w)).x, y: (w: { x: number; y: number }) => map.map.project(lngLat(w)).y };
    const person = event ? crowd.nearest(overlay, event.point.x, event.point.y) : null;
    if (person !== null && map.map.getZoom() > 14) follow(person);
    else stand({ lon: event.lngLat.lng, lat: event.lngLat.lat });
  };
  const lngLat = (w: { x: number; y: number }): [number, number] => {
    const { lon, lat } = lonLat(w);
    return [lon, lat];
  };
  map.map.on('click', click);
  map.element.classList.add('pick');

  const stop = stream.listen((_, people) => {
    crowd.push(people);
    if (wanted) pick();
    step();
  });
  fill(
    scene.panel,
    h('div', { class: 'part' },
      h('h1', null, 'Ask as a user'),
      h('p', { class: 'soft' }, 'Your query takes the same path as all others: through the gateway, hidden among the users who are in the city now.')),
    form.element,
    story.element,
  );
  const [lon, lat, who] = ['lon', 'lat', 'follow'].map((key) => scene.params.get(key));
  if (lon && lat && Number.isFinite(Number(lon)) && Number.isFinite(Number(lat))) stand({ lon: Number(lon), lat: Number(lat) });
  else if (who && /^\d+$/.test(who) && Number(who) < (scene.demo?.people ?? 0)) follow(Number(who));
  return () => {
    busy?.abort();
    stop();
    map.map.off('click', click);
    map.element.classList.remove('pick');
    crowd.remove();
    marks.remove();
    meshes.clear();
  };
}
