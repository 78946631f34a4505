// Form of a query: position, k, dt, speed and question.

import type { QueryRequest } from '../api/client';
import { choice, h, slider } from '../dom';
import { whole } from '../hash';
import type { LonLat } from '../mercator';
import type { Scene } from './view';

export const speeds = [
  { id: 'foot', label: 'on foot, every minute', speed: 1.6, interval: 60 },
  { id: 'bicycle', label: 'by bicycle, every 30 s', speed: 6, interval: 30 },
  { id: 'town', label: 'by car in town, every 20 s', speed: 14, interval: 20 },
  { id: 'car', label: 'by car, every 30 s', speed: 25, interval: 30 },
];

const finds = [
  { value: 'nearest-1', label: 'the nearest one' },
  { value: 'nearest-3', label: 'the nearest 3' },
  { value: 'nearest-10', label: 'the nearest 10' },
  { value: 'within-200', label: 'all within 200 m' },
  { value: 'within-500', label: 'all within 500 m' },
  { value: 'within-1000', label: 'all within 1 km' },
];

interface Calls {
  middle(): void;
  agent(): void;
  ask(): void;
}

export class Form {
  readonly element: HTMLElement;
  place: LonLat | null = null;
  private readonly where = h('p', { class: 'small', id: 'where' }, 'Click a point on the map, or choose one:');
  private readonly button = h('button', { class: 'main', type: 'submit', id: 'ask' }, 'Ask');
  private k: number;
  private dt: number;
  private pace: string;
  private find: string;
  private along: string;
  private category: string;

  constructor(scene: Scene, calls: Calls) {
    const { params, keep } = scene;
    this.k = whole(params, 'k', 4, 2, 50);
    this.dt = whole(params, 'dt', 5, 0, 30);
    this.pace = params.get('pace') ?? 'town';
    this.find = params.get('find') ?? 'nearest-3';
    this.along = params.get('along') ?? 'streets';
    const categories = Object.entries(scene.info.categories).sort((a, b) => b[1] - a[1]);
    this.category = params.get('category') ?? categories[0]?.[0] ?? '';
    const things = categories.slice(0, 40).map(([value, n]) => ({ value, label: `${value.replaceAll('_', ' ')} (${n})` }));
    const paceChoice = choice('Speed and query interval', speeds.map((s) => ({ value: s.id, label: `${s.label}: ${Math.round(s.speed * s.interval)} m` })), this.pace, (v) => {
      this.pace = v;
      keep({ pace: v });
    });
    const findChoice = choice('Find', finds, this.find, (v) => keep({ find: (this.find = v) }));
    const what = choice('What', [{ value: 'any', label: 'anything' }, ...things], this.category, (v) => keep({ category: (this.category = v) }));
    const along = choice('Distance', [{ value: 'streets', label: 'along streets' }, { value: 'plane', label: 'straight line' }], this.along, (v) => keep({ along: (this.along = v) }));
    this.pace = paceChoice.select.value;
    this.find = findChoice.select.value;
    this.category = what.select.value;
    this.along = along.select.value;
    this.element = h(
      'form', { class: 'part', onsubmit: (event: Event) => { event.preventDefault(); calls.ask(); } },
      this.where,
      h('div', { class: 'buttons' },
        h('button', { type: 'button', id: 'middle', onclick: calls.middle }, 'Centre of the map'),
        h('button', { type: 'button', id: 'agent', onclick: calls.agent }, 'Follow an agent')),
      slider('Hide me among', { min: 2, max: 50, step: 1 }, this.k, (v) => `${v} users`, (v) => keep({ k: (this.k = v) })),
      slider('I can wait', { min: 0, max: 30, step: 1 }, this.dt, (v) => `${v} s`, (v) => keep({ dt: (this.dt = v) })),
      paceChoice.field,
      h('div', { class: 'two' }, findChoice.field, what.field),
      along.field,
      this.button,
    );
  }

  tell(text: string): void {
    this.where.textContent = text;
  }

  busy(busy: boolean): void {
    this.button.disabled = busy;
    this.button.textContent = busy ? 'Asking…' : 'Ask again';
  }

  /** Builds the request; shows a hint and returns null if no position is chosen. */
  request(): QueryRequest | null {
    if (!this.place) {
      this.tell('Choose a position first: click the map, or use a button.');
      return null;
    }
    const pace = speeds.find((s) => s.id === this.pace) ?? speeds[0];
    const [find, number] = this.find.split('-');
    const nearest = find === 'nearest';
    const id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
    return {
      ticket: id,
      person: `page-${id}`,
      lon: this.place.lon,
      lat: this.place.lat,
      k: this.k,
      dt: this.dt,
      speed: pace?.speed ?? 1.6,
      interval: pace?.interval ?? 60,
      question: {
        find: nearest ? 'nearest' : 'within',
        ...(nearest ? { count: Number(number) } : { radius: Number(number) }),
        along: this.along === 'plane' ? 'plane' : 'streets',
        ...(this.category === 'any' ? {} : { category: this.category }),
      },
    };
  }
}
