// How fast the page is, by hand: `npm run measure`. For each map the time from navigation to the
// first streets on the screen and to the whole picture, and how long frames take while somebody
// pans and zooms, beside the same page with an empty map. Headless Chromium draws by software, on
// the processor that also does everything else: a machine with a graphics card is far faster.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { binary, browser, pictures, serve } from './harness.mjs';

const maps = process.env.MESHCLOAK_MAPS;
const REAL = [
  ['Paris', 'paris/paris.nodes.csv.gz'],
  ['Porto', 'porto/porto-city.osm.pbf'],
  ['Stockton', 'stockton/stockton.node', 'map.origin=-121.3,37.9'],
  ['Porto, metropolitan area', 'porto/porto_portugal.osm.pbf'],
];
const LOADS = 3;
const ZOOMS = [10, 11, 12, 13, 14, 15, 16];
const FRAMES = 40;
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

/** In the page: counts what is given to be drawn. */
function count() {
  window.triangles = 0;
  const { prototype } = WebGL2RenderingContext;
  const draw = prototype.drawElements;
  prototype.drawElements = function (mode, corners, ...rest) {
    window.triangles += corners / 3;
    return draw.call(this, mode, corners, ...rest);
  };
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
    // There and back, so that what is shown stays much the same.
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

/** Times between frames at a zoom: dragged, then zoomed by the wheel. */
async function frames(page, zoom, { bounds: [west, south, east, north] }) {
  const at = `${zoom},${(south + north) / 2},${(west + east) / 2}`;
  await page.evaluate((at) => (location.hash = `#?at=${at}`), at);
  await page.waitForFunction((zoom) => document.querySelector('.map').dataset.whole === zoom, zoom.toFixed(2));
  const pan = await page.evaluate(move, { frames: FRAMES, kind: 'pan' });
  const wheel = await page.evaluate(move, { frames: FRAMES, kind: 'wheel' });
  return { pan: pan.gaps, wheel: wheel.gaps, triangles: Math.max(...pan.weights, ...wheel.weights) };
}

async function measure(chrome, name, url) {
  const info = await (await fetch(new URL('map/info', url))).json();
  const blank = await picture(chrome, url, true);
  const { first, best, whole } = await picture(chrome, url, false);
  console.log(`\n${name}: ${info.streets.toLocaleString('en')} streets`);
  console.log(`  first streets ${ms(first)} ms (best ${ms(best)}), whole picture ${ms(whole)} ms; empty map ${ms(blank.whole)} ms`);
  console.log('\n  | zoom | pan, p50 | p95 | empty, p50 | p95 | wheel, p50 | p95 | empty, p50 | p95 | triangles |\n  |---|---|---|---|---|---|---|---|---|---|');
  const [streets, empty] = [await visit(chrome, url, false), await visit(chrome, url, true)];
  for (const zoom of ZOOMS) {
    const [all, floor] = [await frames(streets.page, zoom, info), await frames(empty.page, zoom, info)];
    const tell = (list) => [0.5, 0.95].map((part) => quantile(list, part).toFixed(0));
    const row = [zoom, ...tell(all.pan), ...tell(floor.pan), ...tell(all.wheel), ...tell(floor.wheel), all.triangles.toLocaleString('en')];
    console.log(`  | ${row.join(' | ')} |`);
    if (pictures) await streets.page.screenshot({ path: join(pictures, `measure-${name.split(',')[0]}-${zoom}.png`) });
  }
  await streets.close();
  await empty.close();
}

/** A gateway for real people on a map, with its page. */
async function plain(map, more) {
  const keys = join(mkdtempSync(join(tmpdir(), 'meshcloak-')), 'keys.json');
  execFileSync(binary, ['keys', 'add', 'app', '--keys', keys], { stdio: 'ignore' });
  const settings = ['server.metrics=127.0.0.1:0', `accounts.keys=${keys}`, ...more].flatMap((s) => ['--set', s]);
  return serve(['--map', map, '--listen', '127.0.0.1:0', ...settings], /operator's page is at (http:\/\/\S+)/);
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

// An address of a page that runs, or the beginning of a name: all of them otherwise.
const what = process.argv[2] ?? '';
console.log(`${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}; ${SIZE.width} × ${SIZE.height} pixels; milliseconds a frame`);
const chrome = await browser();
if (what.startsWith('http')) await measure(chrome, what, what);
else await everything(chrome, what);
await chrome.close();
