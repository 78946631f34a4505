// Be one of them: choose a place, ask, and watch what is done before anybody is asked anything.

import { type QueryRequest, type QueryResult, type Refusal, type Truth, post } from '../api/client';
import { CrowdLayer } from '../crowd';
import { fill, h } from '../dom';
import { MeshLayer } from '../meshes';
import { place, world, type Place } from '../mercator';
import { at, stream } from '../stream';
import { Form } from './ask-form';
import { Marks } from './ask-marks';
import { Story } from './ask-story';
import type { Leave, Scene } from './view';

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

export function ask(scene: Scene): Leave {
  const map = scene.map();
  const crowd = new CrowdLayer(map);
  const marks = new Marks(map);
  const meshes = new MeshLayer(map, 0);
  const story = new Story();
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let following: number | null = null;
  let busy: AbortController | null = null;
  // Asked for somebody before anybody is known: as soon as somebody is.
  let wanted = false;

  const form = new Form(scene, {
    middle: () => stand(fromMap()),
    somebody: () => pick(),
    ask: () => void go(),
  });

  const fromMap = (): Place => {
    const { lng, lat } = map.map.getCenter();
    return { lon: lng, lat };
  };
  const stand = (where: Place): void => {
    following = null;
    marks.clear();
    meshes.clear();
    marks.me = world(where);
    form.place = where;
    form.tell('You stand at the pink dot. The gateway moves you to the nearest street.');
    scene.keep({ lon: where.lon.toFixed(6), lat: where.lat.toFixed(6), follow: null });
  };
  const follow = (person: number | null): void => {
    following = person;
    if (person === null) return;
    form.tell(`You follow person ${person + 1} of the crowd, wherever she goes.`);
    scene.keep({ follow: person, lon: null, lat: null });
    marks.clear();
    meshes.clear();
    step();
  };
  const pick = (): void => {
    const how = stream.last?.crowd.how ?? [];
    const others = [...how.keys()].filter((i) => how[i] && i !== following);
    wanted = others.length === 0;
    if (!wanted) follow(others[Math.floor(Math.random() * others.length)] ?? null);
  };
  const step = (): void => {
    const there = following === null || !stream.last ? null : at(stream.last.crowd, following);
    if (!there) return;
    form.place = place(there);
    if (marks.telling) return;
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
      if (!busy.signal.aborted) story.trouble(`The gateway could not be asked: ${String(error)}`);
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
        const places = truth.members.map(([lon, lat]) => ({ lon, lat }));
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
      await pause(still ? 0 : 900);
    }
  };

  const click = (event: { lngLat: { lng: number; lat: number }; point: { x: number; y: number } }): void => {
    const glass = { x: (w: { x: number; y: number }) => map.map.project(lngLat(w)).x, y: (w: { x: number; y: number }) => map.map.project(lngLat(w)).y };
    const person = event ? crowd.nearest(glass, event.point.x, event.point.y) : null;
    if (person !== null && map.map.getZoom() > 14) follow(person);
    else stand({ lon: event.lngLat.lng, lat: event.lngLat.lat });
  };
  const lngLat = (w: { x: number; y: number }): [number, number] => {
    const { lon, lat } = place(w);
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
      h('h1', null, 'Ask as one of them'),
      h('p', { class: 'soft' }, 'Your question goes the same way as everyone’s: through the gateway, hidden among the people who are in the city right now.')),
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
