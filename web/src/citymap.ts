// The city map with a canvas overlay: MapLibre draws the streets from our tiles, the overlay shows
// agents and markers. North is always up, so the overlay only needs translation and scaling.

import * as maplibregl from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import 'maplibre-gl/dist/maplibre-gl.css';
import { h } from './dom';
import { HIGHLIGHT_LAYERS, HIGHLIGHT_SOURCE, style, visible } from './layers';
import { NO_HIGHLIGHTS, type Highlights, type Highlight, highlightFeatures } from './highlights';
import { type LonLat, type World, world } from './mercator';
import { Shapes } from './shapes';
import { onTheme, palette } from './theme';

maplibregl.setWorkerUrl(workerUrl);
// Starts the tile workers while the page is still loading its metadata.
maplibregl.prewarm();

export interface MapInfo {
  bounds: [west: number, south: number, east: number, north: number];
  /** Bounds of the area with most streets. */
  middle: [west: number, south: number, east: number, north: number];
  streets: number;
  categories: Record<string, number>;
  max_zoom: number;
  block: number;
  metres: number;
}

/** Projection from world coordinates to overlay pixels. */
export interface Overlay {
  pen: CanvasRenderingContext2D;
  x(world: World): number;
  y(world: World): number;
  width: number;
  height: number;
  zoom: number;
}

/** Draws on the overlay. Returns true if it animates and needs the next frame. */
export type Draw = (overlay: Overlay, now: number) => boolean;

/** Repaint interval of a static overlay, in milliseconds. */
const IDLE_REPAINT_MS = 200;

/** Repaint interval of a moving overlay: a car moves about half a pixel between two repaints. */
const repaintInterval = (zoom: number): number => Math.min(80, Math.max(16, 100 / 2 ** (zoom - 14)));

/** Centre, zoom and size of a view, in pixels. */
interface Camera {
  centre: World;
  zoom: number;
  width: number;
  height: number;
}

/** Delay in milliseconds that batches redraws for arriving shapes. */
const DEBOUNCE_MS = 50;

/** Shape store shared by all maps of the page, which show the same city. */
let known: Shapes | null = null;

export class CityMap {
  readonly element: HTMLElement;
  readonly map: maplibregl.Map;
  private readonly overlay = h('canvas', { class: 'overlay', 'aria-hidden': 'true' });
  private readonly draws = new Set<Draw>();
  private readonly shapes: Shapes;
  private looks = new Map<number, Highlight>();
  private lit: Highlights = NO_HIGHLIGHTS;
  private relight = 0;
  private frame = 0;
  private moving = true;
  private painted: Camera = { centre: { x: 0, y: 0 }, zoom: 0, width: 0, height: 0 };
  private paintedAt = -Infinity;
  private ended = false;
  private readonly leave: (() => void)[];

  constructor(parent: HTMLElement, readonly info: MapInfo, label: string, camera: string | null) {
    const host = h('div', { class: 'map' });
    this.element = h('div', { class: 'citymap' }, host, this.overlay);
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
    const unsubscribeTheme = onTheme(() => {
      if (!first) this.map.setStyle(looks(), { diff: true });
      first = false;
    });
    this.leave = [unsubscribeTheme, this.shapes.onArrival(() => this.scheduleHighlight())];
    this.loop = this.loop.bind(this);
    this.frame = requestAnimationFrame(this.loop);
  }

  /** Registers a drawing callback; returns a function that removes it. */
  onOverlay(draw: Draw): () => void {
    this.draws.add(draw);
    return () => this.draws.delete(draw);
  }

  /** Serialises the camera for the URL: zoom, latitude, longitude. */
  camera(): string {
    const { lng, lat } = this.map.getCenter();
    return `${this.map.getZoom().toFixed(2)},${lat.toFixed(5)},${lng.toFixed(5)}`;
  }

  /** Moves the camera to a serialised position. */
  look(camera: string): void {
    const there = parse(camera);
    if (there) this.map.jumpTo(there);
  }

  /** Sets the highlighted streets; all others are reset. */
  highlight(looks: Map<number, Highlight>): void {
    this.looks = looks;
    void this.shapes.load(looks.keys());
    this.applyHighlights();
  }

  /** Returns the points of these streets, loading their shapes first. */
  async extent(streets: number[]): Promise<LonLat[]> {
    await this.shapes.load(streets);
    return streets.flatMap((street) => this.shapes.of(street)?.line.map(([lon, lat]) => ({ lon, lat })) ?? []);
  }

  private scheduleHighlight(): void {
    this.relight ||= window.setTimeout(() => this.applyHighlights(), DEBOUNCE_MS);
  }

  private applyHighlights(): void {
    clearTimeout(this.relight);
    this.relight = 0;
    const next = highlightFeatures(this.looks, this.shapes);
    if (next.features.length === 0 && this.lit.features.length === 0) return;
    this.lit = next;
    const apply = (): void => {
      void this.map.getSource<maplibregl.GeoJSONSource>(HIGHLIGHT_SOURCE)?.setData(this.lit);
      for (const layer of HIGHLIGHT_LAYERS) this.map.setLayoutProperty(layer, 'visibility', visible(this.lit));
    };
    if (this.map.getSource(HIGHLIGHT_SOURCE)) apply();
    else this.map.once('load', apply);
  }

  /** Fits the view to these points. */
  show(places: LonLat[], padding: maplibregl.PaddingOptions | number = 60): void {
    if (places.length === 0) return;
    const bounds = new maplibregl.LngLatBounds();
    places.forEach(({ lon, lat }) => bounds.extend([lon, lat]));
    const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.map.fitBounds(bounds, { padding, maxZoom: 16, duration: reducedMotion ? 0 : 600 });
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
    const due = this.moving || !same ? repaintInterval(camera.zoom) : IDLE_REPAINT_MS;
    if (now - this.paintedAt >= due || was.width !== width || was.height !== height) this.paint(camera, now);
    else if (!same) this.shift(camera);
    this.frame = requestAnimationFrame(this.loop);
  }

  /** Transforms the painted overlay to the current camera: far cheaper than repainting. */
  private shift({ centre, zoom }: Camera): void {
    const [was, size] = [this.painted, 512 * 2 ** zoom];
    const [x, y] = [(was.centre.x - centre.x) * size, (was.centre.y - centre.y) * size];
    this.overlay.style.transform = `translate(${x}px, ${y}px) scale(${2 ** (zoom - was.zoom)})`;
  }

  private paint(camera: Camera, now: number): void {
    const { centre, zoom, width, height } = camera;
    this.painted = camera;
    this.paintedAt = now;
    // An empty overlay would still cost compositing time in every frame.
    this.overlay.hidden = this.draws.size === 0;
    const pen = this.overlay.getContext('2d');
    if (this.overlay.hidden || !pen || width === 0) return;
    const scale = devicePixelRatio || 1;
    if (this.overlay.width !== Math.round(width * scale) || this.overlay.height !== Math.round(height * scale)) {
      this.overlay.width = Math.round(width * scale);
      this.overlay.height = Math.round(height * scale);
    }
    this.overlay.style.transform = '';
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const size = 512 * 2 ** zoom;
    const overlay: Overlay = {
      pen, width, height, zoom,
      x: (w) => (w.x - centre.x) * size + width / 2,
      y: (w) => (w.y - centre.y) * size + height / 2,
    };
    this.moving = false;
    for (const draw of this.draws) if (draw(overlay, now)) this.moving = true;
  }
}

/** Parses a serialised camera. */
function parse(camera: string | null): { center: [number, number]; zoom: number } | null {
  const [zoom, lat, lon] = (camera ?? '').split(',').map(Number);
  const on = (n: number | undefined, max: number): n is number => n !== undefined && Math.abs(n) <= max;
  return on(zoom, 24) && on(lat, 85) && on(lon, 180) ? { center: [lon, lat], zoom } : null;
}

/** Records performance marks for the first streets and the complete map, and the zoom of the last idle state. */
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
