// A map of the city with a sheet of glass on top: streets are drawn by MapLibre from our tiles,
// people and marks on a canvas above. North stays up, so the canvas needs only to shift and scale.

import * as maplibregl from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import 'maplibre-gl/dist/maplibre-gl.css';
import { h } from './dom';
import { LIGHTS, LIT, style, visible } from './layers';
import { DARK, type Lit, type Look, lit } from './lights';
import { type Place, type World, world } from './mercator';
import { Shapes } from './shapes';
import { onTheme, palette } from './theme';

maplibregl.setWorkerUrl(workerUrl);
// Whoever draws the tiles starts while the page still asks what there is to draw.
maplibregl.prewarm();

export interface MapInfo {
  bounds: [west: number, south: number, east: number, north: number];
  /** Where most streets are. */
  middle: [west: number, south: number, east: number, north: number];
  streets: number;
  categories: Record<string, number>;
  max_zoom: number;
  block: number;
  metres: number;
}

/** From the square of the world to pixels of the glass. */
export interface Glass {
  pen: CanvasRenderingContext2D;
  x(world: World): number;
  y(world: World): number;
  width: number;
  height: number;
  zoom: number;
}

/** Draws on the glass; says whether it moves, and so wants the next frame as well. */
export type Draw = (glass: Glass, now: number) => boolean;

/** What does not move is painted anew this often, in milliseconds. */
const STILL = 200;

/** What moves is: often enough that somebody in a car goes half a pixel in between. */
const often = (zoom: number): number => Math.min(80, Math.max(16, 100 / 2 ** (zoom - 14)));

/** Where a camera looks, and at how many pixels. */
interface Camera {
  centre: World;
  zoom: number;
  width: number;
  height: number;
}

/** Shapes that come one after another are drawn together, so many milliseconds later. */
const TOGETHER = 50;

/** One store for all maps of the page: they are of one city. */
let known: Shapes | null = null;

export class CityMap {
  readonly element: HTMLElement;
  readonly map: maplibregl.Map;
  private readonly glass = h('canvas', { class: 'glass', 'aria-hidden': 'true' });
  private readonly draws = new Set<Draw>();
  private readonly shapes: Shapes;
  private looks = new Map<number, Look>();
  private lit: Lit = DARK;
  private relight = 0;
  private frame = 0;
  private moving = true;
  private painted: Camera = { centre: { x: 0, y: 0 }, zoom: 0, width: 0, height: 0 };
  private paintedAt = -Infinity;
  private ended = false;
  private readonly leave: (() => void)[];

  constructor(parent: HTMLElement, readonly info: MapInfo, label: string, camera: string | null) {
    const host = h('div', { class: 'map' });
    this.element = h('div', { class: 'citymap' }, host, this.glass);
    parent.append(this.element);
    const tiles = new URL('./map/tiles/{z}/{x}/{y}', document.baseURI).href.replaceAll('%7B', '{').replaceAll('%7D', '}');
    const start = parse(camera);
    const looks = () => style(palette(), { tiles, maxzoom: info.max_zoom, lit: this.lit });
    this.shapes = known ??= new Shapes(info.block);
    this.map = new maplibregl.Map({
      container: host,
      style: looks(),
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      maxZoom: 19,
      minZoom: 8,
      fadeDuration: 150,
      ...(start ?? { bounds: info.middle, fitBoundsOptions: { padding: 24, maxZoom: 16 } }),
    });
    this.map.touchZoomRotate.disableRotation();
    this.map.keyboard.disableRotation();
    this.map.getCanvas().setAttribute('aria-label', label);
    this.map.addControl(new maplibregl.NavigationControl({ showCompass: false }), 'bottom-right');
    marks(this.map);
    let first = true;
    const untheme = onTheme(() => {
      if (!first) this.map.setStyle(looks(), { diff: true });
      first = false;
    });
    this.leave = [untheme, this.shapes.onArrival(() => this.lightSoon())];
    this.loop = this.loop.bind(this);
    this.frame = requestAnimationFrame(this.loop);
  }

  /** Draws on the glass with every frame, until the answer is called. */
  onGlass(draw: Draw): () => void {
    this.draws.add(draw);
    return () => this.draws.delete(draw);
  }

  /** The camera as it stands in the address. */
  camera(): string {
    const { lng, lat } = this.map.getCenter();
    return `${this.map.getZoom().toFixed(2)},${lat.toFixed(5)},${lng.toFixed(5)}`;
  }

  /** Looks where an address says. */
  look(camera: string): void {
    const there = parse(camera);
    if (there) this.map.jumpTo(there);
  }

  /** Gives streets their looks; those not named go back to normal. */
  light(looks: Map<number, Look>): void {
    this.looks = looks;
    void this.shapes.want(looks.keys());
    this.lightNow();
  }

  /** Where these streets run. */
  async extent(streets: number[]): Promise<Place[]> {
    await this.shapes.want(streets);
    return streets.flatMap((street) => this.shapes.of(street)?.line.map(([lon, lat]) => ({ lon, lat })) ?? []);
  }

  private lightSoon(): void {
    this.relight ||= window.setTimeout(() => this.lightNow(), TOGETHER);
  }

  private lightNow(): void {
    clearTimeout(this.relight);
    this.relight = 0;
    const next = lit(this.looks, this.shapes);
    if (next.features.length === 0 && this.lit.features.length === 0) return;
    this.lit = next;
    const apply = (): void => {
      void this.map.getSource<maplibregl.GeoJSONSource>(LIT)?.setData(this.lit);
      for (const layer of LIGHTS) this.map.setLayoutProperty(layer, 'visibility', visible(this.lit));
    };
    if (this.map.getSource(LIT)) apply();
    else this.map.once('load', apply);
  }

  /** Moves so that these places can be seen. */
  show(places: Place[], padding: maplibregl.PaddingOptions | number = 60): void {
    if (places.length === 0) return;
    const bounds = new maplibregl.LngLatBounds();
    places.forEach(({ lon, lat }) => bounds.extend([lon, lat]));
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.map.fitBounds(bounds, { padding, maxZoom: 16, duration: still ? 0 : 600 });
  }

  remove(): void {
    this.ended = true;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.relight);
    this.leave.forEach((stop) => stop());
    this.map.remove();
    this.element.remove();
  }

  private loop(now: number): void {
    if (this.ended) return;
    const { lng, lat } = this.map.getCenter();
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    const camera: Camera = { centre: world({ lon: lng, lat }), zoom: this.map.getZoom(), width, height };
    const was = this.painted;
    const same = was.centre.x === camera.centre.x && was.centre.y === camera.centre.y && was.zoom === camera.zoom;
    const due = this.moving || !same ? often(camera.zoom) : STILL;
    if (now - this.paintedAt >= due || was.width !== width || was.height !== height) this.paint(camera, now);
    else if (!same) this.shift(camera);
    this.frame = requestAnimationFrame(this.loop);
  }

  /** Moves the glass as it is painted to where the camera looks now: far quicker than painting. */
  private shift({ centre, zoom }: Camera): void {
    const [was, size] = [this.painted, 512 * 2 ** zoom];
    const [x, y] = [(was.centre.x - centre.x) * size, (was.centre.y - centre.y) * size];
    this.glass.style.transform = `translate(${x}px, ${y}px) scale(${2 ** (zoom - was.zoom)})`;
  }

  private paint(camera: Camera, now: number): void {
    const { centre, zoom, width, height } = camera;
    this.painted = camera;
    this.paintedAt = now;
    // A clear sheet over the map would cost its share of every frame.
    this.glass.hidden = this.draws.size === 0;
    const pen = this.glass.getContext('2d');
    if (this.glass.hidden || !pen || width === 0) return;
    const scale = devicePixelRatio || 1;
    if (this.glass.width !== Math.round(width * scale) || this.glass.height !== Math.round(height * scale)) {
      this.glass.width = Math.round(width * scale);
      this.glass.height = Math.round(height * scale);
    }
    this.glass.style.transform = '';
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const size = 512 * 2 ** zoom;
    const glass: Glass = {
      pen, width, height, zoom,
      x: (w) => (w.x - centre.x) * size + width / 2,
      y: (w) => (w.y - centre.y) * size + height / 2,
    };
    this.moving = false;
    for (const draw of this.draws) if (draw(glass, now)) this.moving = true;
  }
}

/** A camera as it stands in the address. */
function parse(camera: string | null): { center: [number, number]; zoom: number } | null {
  const [zoom, lat, lon] = (camera ?? '').split(',').map(Number);
  const on = (n: number | undefined, most: number): n is number => n !== undefined && Math.abs(n) <= most;
  return on(zoom, 24) && on(lat, 85) && on(lon, 180) ? { center: [lon, lat], zoom } : null;
}

/** Notes when the first streets were on the screen, when everything was, and where it last was: for whoever measures. */
function marks(map: maplibregl.Map): void {
  map.on('sourcedata', function arrived(event) {
    if (!event.tile) return;
    map.off('sourcedata', arrived);
    map.once('render', () => performance.mark('map-streets'));
  });
  map.once('idle', () => performance.mark('map-whole'));
  const host = map.getContainer();
  map.on('movestart', () => host.removeAttribute('data-whole'));
  map.on('idle', () => host.setAttribute('data-whole', map.getZoom().toFixed(2)));
}
