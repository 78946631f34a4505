// Measures the page (`npm run measure`): for each map the time from navigation to the first streets
// and to the complete map, and frame times while panning and zooming, beside an empty map. Headless
// Chromium renders in software; a machine with a GPU is far faster.

import { existsSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { browser, count, pictures, plain, serve } from './harness.mjs';

const maps = process.env.MESHCLOAK_MAPS;
const REAL = [
  ['Paris', 'paris/paris.nodes.csv.gz'],
  ['Porto', 'porto/porto-city.osm.pbf'],
  ['Stockton', 'stockton/stockton.node', 'map.origin=-121.3,37.9'],
  ['Porto, metropolitan area', 'porto/porto_portugal.osm.pbf'],
];
const LOADS = 3;
const ZOOMS = [10, 11, 12, 13, 14, 15, 16];
const FRAMES = 16;
const ROUNDS = 3;
const SIZE = { width: 1280, height: 800 };

const sorted = (list) => [...list].sort((a, b) => a - b);
const quantile = (list, part) => sorted(list)[Math.min(list.length - 1, Math.floor(part * list.length))] ?? NaN;
const ms = (value) => (Number.isFinite(value) ? value.toFixed(0) : '–').padStart(6);

/** A fresh page; on a blank one there is no street and nobody. */
async function visit(chrome, url, blank) {
  const context = await chrome.newContext({ viewport: SIZE });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  if (blank) await context.route(/map\/(tiles|shapes)|demo\/live/, (route) => route.fulfill({ status: 204 }));
  await page.addInitScript(count);
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName('map-whole').length > 0);
  return { page, close: () => context.close() };
}

async function picture(chrome, url, blank) {
  const firsts = [], wholes = [];
  for (let i = 0; i < LOADS; i++) {
    const { page, close } = await visit(chrome, url, blank);
    const [first, whole] = await page.evaluate(() => ['map-streets', 'map-whole'].map((name) => performance.getEntriesByName(name)[0]?.startTime));
    firsts.push(first ?? NaN);
    wholes.push(whole ?? NaN);
    await close();
  }
  return { first: quantile(firsts, 0.5), best: sorted(firsts)[0], whole: quantile(wholes, 0.5) };
}

/** In the page: moves with every frame, by what a mouse would say, and times them. */
async function move({ frames, kind }) {
  const canvas = document.querySelector('.maplibregl-canvas');
  const tell = (Event, name, more) => canvas.dispatchEvent(new Event(name, { bubbles: true, cancelable: true, clientX: 500, clientY: 400, ...more }));
  const frame = () => new Promise(requestAnimationFrame);
  const gaps = [], weights = [];
  if (kind === 'pan') tell(MouseEvent, 'mousedown', { button: 0, buttons: 1 });
  let last = await frame();
  for (let i = 0; i < frames; i++) {
    // Forth and back, so that the visible area stays about the same.
    const step = i < frames / 2 ? i : frames - i;
    if (kind === 'pan') tell(MouseEvent, 'mousemove', { buttons: 1, clientX: 500 - 8 * step, clientY: 400 - 4 * step });
    else tell(WheelEvent, 'wheel', { deltaY: i < frames / 2 ? -24 : 24 });
    window.triangles = 0;
    const now = await frame();
    gaps.push(now - last);
    weights.push(window.triangles);
    last = now;
  }
  if (kind === 'pan') tell(MouseEvent, 'mouseup', { button: 0 });
  return { gaps, weights };
}

/** Times between frames at each zoom: dragged, then zoomed by the wheel. */
async function frames(chrome, url, { middle: [west, south, east, north] }, blank) {
  const { page, close } = await visit(chrome, url, blank);
  const rows = [];
  for (const zoom of ZOOMS) {
    // Wheel zoom has inertia.
    await page.waitForFunction(() => document.querySelector('.map').dataset.whole);
    await page.evaluate((at) => (location.hash = `#?at=${at}`), `${zoom},${(south + north) / 2},${(west + east) / 2}`);
    await page.waitForFunction((zoom) => document.querySelector('.map').dataset.whole === zoom, zoom.toFixed(2));
    if (pictures && !blank) await page.screenshot({ path: join(pictures, `measure-${new URL(url).port}-${zoom}.png`) });
    const pan = await page.evaluate(move, { frames: FRAMES, kind: 'pan' });
    const wheel = await page.evaluate(move, { frames: FRAMES, kind: 'wheel' });
    process.stderr.write('.');
    rows.push({ pan: pan.gaps, wheel: wheel.gaps, triangles: Math.max(...pan.weights, ...wheel.weights) });
  }
  await close();
  return rows;
}

/** The round in which this went best: others may have work of their own on this machine. */
const quiet = (rounds, key) => rounds.map((row) => row[key]).sort((a, b) => quantile(a, 0.5) - quantile(b, 0.5))[0];

async function measure(chrome, name, url) {
  const info = await (await fetch(new URL('map/info', url))).json();
  const blank = await picture(chrome, url, true);
  const { first, best, whole } = await picture(chrome, url, false);
  console.log(`\n${name}: ${info.streets.toLocaleString('en')} streets`);
  console.log(`  first streets ${ms(first)} ms (best ${ms(best)}), whole picture ${ms(whole)} ms; empty map ${ms(blank.whole)} ms`);
  const [all, floor] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    all.push(await frames(chrome, url, info, false));
    floor.push(await frames(chrome, url, info, true));
  }
  console.log('\n| zoom | pan, p50 | p95 | empty, p50 | p95 | wheel, p50 | p95 | empty, p50 | p95 | triangles |\n|---|---|---|---|---|---|---|---|---|---|');
  ZOOMS.forEach((zoom, i) => {
    const tell = (rounds, key) => [0.5, 0.95].map((part) => quantile(quiet(rounds.map((rows) => rows[i]), key), part).toFixed(0));
    const most = Math.max(...all.map((rows) => rows[i].triangles));
    console.log(`| ${[zoom, ...tell(all, 'pan'), ...tell(floor, 'pan'), ...tell(all, 'wheel'), ...tell(floor, 'wheel'), most.toLocaleString('en')].join(' | ')} |`);
  });
}

async function everything(chrome, only) {
  const wanted = (name) => name.toLowerCase().startsWith(only.toLowerCase());
  if (wanted('Demo')) {
    const demo = await serve(['--demo', '--listen', '127.0.0.1:0', '--set', 'server.metrics=']);
    await measure(chrome, 'Demo, the built-in city with 5,000 people', demo.url);
    await demo.stop();
  }
  if (!maps) console.log('\nMESHCLOAK_MAPS is not set: real maps are left out');
  for (const [name, file, ...more] of maps ? REAL.filter(([name]) => wanted(name)) : []) {
    if (!existsSync(join(maps, file))) throw new Error(`${join(maps, file)} is missing`);
    const gateway = await plain(join(maps, file), more);
    await measure(chrome, name, gateway.url);
    await gateway.stop();
  }
}

// Argument: the URL of a running page, or a prefix of a map name; default: all maps.
const what = process.argv[2] ?? '';
console.log(`${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}; ${SIZE.width} × ${SIZE.height} pixels; milliseconds a frame`);
const chrome = await browser();
if (what.startsWith('http')) await measure(chrome, what, what);
else await everything(chrome, what);
await chrome.close();
