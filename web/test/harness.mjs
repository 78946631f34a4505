// Starts the demo and a browser, and records page errors, console errors and foreign requests.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '..', '..');
export const binary = process.env.MESHCLOAK_BIN ?? join(root, 'target', 'debug', 'meshcloak');
const axe = readFileSync(join(root, 'web/node_modules/axe-core/axe.min.js'), 'utf8');
export const MAP = 'city:2500:4';
export const pictures = process.env.MESHCLOAK_PICTURES ?? null;

/** Runs `meshcloak serve` with these arguments; resolves once it says where it is. */
export async function serve(args, said = /at (http:\/\/[^\s]+)/) {
  if (!existsSync(binary)) throw new Error(`${binary} is not built`);
  const child = spawn(binary, ['serve', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  let text = '';
  const url = await new Promise((done, fail) => {
    const read = (chunk) => {
      text += chunk;
      const found = said.exec(text);
      if (found) done(found[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => fail(new Error(`serve ended with ${code}: ${text}`)));
    // A changed message must fail the test instead of blocking it.
    setTimeout(() => fail(new Error(`no address in the output of serve: ${text}`)), 120_000).unref();
  });
  /** Resolves when the process has ended, also if it had ended before. */
  const endBy = (signal) =>
    new Promise((done) => {
      child.removeAllListeners('exit');
      process.off('exit', end);
      if (child.exitCode !== null || child.signalCode !== null) return done();
      child.on('exit', done);
      child.kill(signal);
    });
  const stop = () => endBy('SIGTERM');
  const kill = () => endBy('SIGKILL');
  return { url, stop, kill, said: () => text };
}

export const demo = (...more) => serve(['--demo', '--map', MAP, '--listen', '127.0.0.1:0', '--set', 'server.metrics=', '--people', '1500', ...more]);

/** A gateway for real people on a map, with its page. */
export async function plain(map, more = []) {
  const keys = join(mkdtempSync(join(tmpdir(), 'meshcloak-')), 'keys.json');
  const key = execFileSync(binary, ['keys', 'add', 'app', '--keys', keys], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const settings = ['server.metrics=127.0.0.1:0', `accounts.keys=${keys}`, ...more].flatMap((s) => ['--set', s]);
  const gateway = await serve(['--map', map, '--listen', '127.0.0.1:0', ...settings], /operator page: (http:\/\/\S+)/);
  return { ...gateway, key };
}

export const browser = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });

/** A page that remembers whatever went wrong in it. */
export async function open(chrome, url, options = {}) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const wrong = [];
  const host = new URL(url).host;
  page.on('console', (message) => {
    // Messages of the software renderer's driver are not the page's.
    if (message.type() === 'error') wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const at = new URL(request.url());
    if (!['data:', 'blob:'].includes(at.protocol) && at.host !== host) wrong.push(`request to ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    if (!why.includes('ERR_ABORTED')) wrong.push(`failed: ${request.url()} ${why}`);
  });
  await page.goto(url);
  return { page, wrong, close: () => context.close() };
}

/** State of the page. `page.url()` follows changes of the fragment with a delay. */
export const fragment = (page) => page.evaluate(() => location.hash);

/** In the page: counts what is given to be drawn. */
export function count() {
  window.triangles = 0;
  const { prototype } = WebGL2RenderingContext;
  const draw = prototype.drawElements;
  prototype.drawElements = function (mode, corners, ...rest) {
    window.triangles += corners / 3;
    return draw.call(this, mode, corners, ...rest);
  };
}

/** How much of the map is drawn upon: the part of its pixels that are not ground, or those of a colour. */
export async function drawn(page, index = 0, kind = 'any') {
  await page.waitForFunction((i) => {
    const canvas = document.querySelectorAll('.maplibregl-canvas')[i];
    return canvas && canvas.width > 0;
  }, index);
  const shot = await page.locator('.citymap').nth(index).screenshot();
  return page.evaluate(async ({ base64, kind }) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    const ground = [data[0], data[1], data[2]];
    const bright = (i) => Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60;
    let other = 0;
    for (let i = 0; i < data.length; i += 4) {
      const apart = Math.abs(data[i] - ground[0]) + Math.abs(data[i + 1] - ground[1]) + Math.abs(data[i + 2] - ground[2]) > 12;
      if (kind === 'any' ? apart : bright(i)) other++;
    }
    return other / (data.length / 4);
  }, { base64: shot.toString('base64'), kind });
}

/** Waits until streets are drawn. */
export async function streets(page, index = 0) {
  for (let tries = 0; tries < 60; tries++) {
    if ((await drawn(page, index)) > 0.02) return;
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  throw new Error('no streets were drawn');
}

/** Whether anybody would stumble: runs in a world of its own, for the page lets no script in. */
export async function accessible(page) {
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send('Page.getFrameTree');
  const { executionContextId } = await client.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const run = (expression) => client.send('Runtime.evaluate', { expression, contextId: executionContextId, awaitPromise: true, returnByValue: true });
  await run(axe);
  const { result } = await run(`axe.run(document, { iframes: false }).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target + ' ' + n.failureSummary).join(' | ')))`);
  return result.value;
}

/** A picture of the page once its map is whole, if pictures are wanted. */
export async function picture(page, name) {
  if (!pictures) return;
  await mkdir(pictures, { recursive: true });
  await page.waitForFunction(() => [...document.querySelectorAll('.map')].every((map) => map.dataset.whole));
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

export const number = async (page, id) => {
  const text = await page.locator(`#${id} strong`).textContent();
  return Number((text ?? '').replaceAll(',', ''));
};
