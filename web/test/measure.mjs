// How fast the page is, by hand: `npm run measure`. For each map the time from navigation to the
// first streets on the screen and to the whole picture, and how long frames take while somebody
// pans and zooms, beside the same page without any street. Headless Chromium draws by software:
// a machine with a graphics card is far faster, and the floor says by how much to wonder.

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
const FRAMES = 24;

const sorted = (list) => [...list].sort((a, b) => a - b);
const quantile = (list, part) => sorted(list)[Math.min(list.length - 1, Math.floor(part * list.length))] ?? NaN;
const ms = (value) => (Number.isFinite(value) ? value.toFixed(0) : '–').padStart(6);

/** A fresh page; `blank` lets no tile through. */
async function visit(chrome, url, blank) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  if (blank) await context.route('**/map/tiles/**', (route) => route.fulfill({ status: 204 }));
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName('map-whole').length > 0, null, { timeout: 120_000 });
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

/** Times between frames while the map is dragged, then zoomed by the wheel. */
async function frames(chrome, url, zoom, { bounds: [west, south, east, north] }, blank) {
  const at = `${zoom},${(south + north) / 2},${(west + east) / 2}`;
  const { page, close } = await visit(chrome, `${url}?z=${zoom}#?at=${at}`, blank);
  await page.evaluate(() => {
    window.gaps = [];
    let last = performance.now();
    const tick = (now) => {
      window.gaps.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const frame = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  const take = () => page.evaluate(() => window.gaps.splice(0));
  await page.mouse.move(600, 400);
  await frame();
  await take();
  await page.mouse.down();
  for (let i = 0; i < FRAMES; i++) {
    await page.mouse.move(600 - 8 * i, 400 + 4 * i);
    await frame();
  }
  const pan = await take();
  await page.mouse.up();
  for (let i = 0; i < FRAMES / 2; i++) {
    await page.mouse.wheel(0, i < FRAMES / 4 ? -40 : 40);
    await frame();
  }
  const wheel = await take();
  if (pictures && !blank) await page.screenshot({ path: join(pictures, `measure-${new URL(url).port}-${zoom}.png`) });
  await close();
  return { pan, wheel };
}

async function measure(chrome, name, url) {
  const info = await (await fetch(new URL('map/info', url))).json();
  const blank = await picture(chrome, url, true);
  const { first, best, whole } = await picture(chrome, url, false);
  console.log(`\n${name}: ${info.streets.toLocaleString('en')} streets`);
  console.log(`  first streets ${ms(first)} ms (best ${ms(best)}), whole picture ${ms(whole)} ms; without streets ${ms(blank.whole)} ms`);
  console.log('  zoom   pan: median   p95   (floor)    wheel: median   p95   (floor), ms a frame');
  for (const zoom of [11, 13, 15]) {
    const [all, floor] = [await frames(chrome, url, zoom, info, false), await frames(chrome, url, zoom, info, true)];
    const tell = (key) => `${ms(quantile(all[key], 0.5))} ${ms(quantile(all[key], 0.95))} (${ms(quantile(floor[key], 0.5))} ${ms(quantile(floor[key], 0.95))})`;
    console.log(`  ${String(zoom).padEnd(5)} ${tell('pan')}    ${tell('wheel')}`);
  }
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
console.log(`${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}`);
const chrome = await browser();
if (what.startsWith('http')) await measure(chrome, what, what);
else await everything(chrome, what);
await chrome.close();
