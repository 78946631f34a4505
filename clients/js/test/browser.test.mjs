// The client in Chromium, in a page of another origin than the gateway's: allowed by `server.origins` it
// asks, streams and opens a session; otherwise the browser lets it read nothing.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import * as client from '../dist/index.js';
import { root, start, street } from './gateway.mjs';

const question = { find: 'nearest', count: 3 };
const servers = [];
let chrome, gateway, here;

/** A web server of the package and an empty page; resolves with its origin. */
async function site() {
  const server = createServer((request, response) => {
    const isScript = /^\/[a-z]+\.js$/.test(request.url);
    const body = isScript ? readFileSync(join(root, 'clients/js/dist', request.url)) : '<!doctype html><title>app</title>';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' }).end(body);
  });
  servers.push(server);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${server.address().port}`;
}

let allowed, other;

before(async () => {
  [allowed, other] = [await site(), await site()];
  gateway = await start([`server.origins=${allowed}`]);
  here = await street(gateway, new client.MeshCloak(gateway), client);
  chrome = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});
after(async () => {
  await chrome?.close();
  gateway?.stop();
  servers.forEach((server) => server.close());
});

/** Runs a function in a page of an origin. */
async function run(origin, code, more) {
  const page = await chrome.newPage();
  await page.goto(origin);
  const found = await page.evaluate(code, { url: gateway.url, key: gateway.key, here, question, ...more });
  await page.close();
  return found;
}

test('a page of an allowed origin asks, streams, cancels and opens a session', async () => {
  const found = await run(allowed, async ({ url, key, here, question }) => {
    const { MeshCloak } = await import('/index.js');
    const mesh = new MeshCloak({ url, key });
    const query = (person) => ({ person, ...here, k: 3, dt: 20, dc: 800, question });
    const asked = await Promise.all(['a', 'b', 'c'].map((person) => mesh.ask(query(person))));
    const streamed = [];
    for await (const line of mesh.stream(['d', 'e', 'f'].map(query))) streamed.push(line.answer.receipt.k_reached);
    const refused = await mesh.cancel('never-used').catch((error) => error.reason);
    const live = mesh.live({ person: 'g', ask: { k: 3, dt: 20, question } });
    const events = live[Symbol.asyncIterator]();
    const opened = (await events.next()).value.type;
    live.position({ ...here, dc: 800 });
    const [answered] = await Promise.all([events.next(), mesh.ask(query('h')), mesh.ask(query('i'))]);
    live.close();
    return { counts: asked.map(({ objects }) => objects.length), streamed, refused, opened, answered: answered.value.type };
  });
  assert.deepEqual(found, { counts: [3, 3, 3], streamed: [3, 3, 3], refused: 'unknown', opened: 'open', answered: 'answer' });
});

test('a page of an allowed origin asks with the personal token of its user', async () => {
  const tokens = await Promise.all(['x', 'y', 'z'].map(gateway.token));
  const reached = await run(allowed, async ({ url, tokens, here, question }) => {
    const { MeshCloak } = await import('/index.js');
    const answers = tokens.map((key) => new MeshCloak({ url, key }).askOwn({ ...here, question }));
    return (await Promise.all(answers)).map(({ receipt }) => receipt.k_reached);
  }, { tokens });
  assert.deepEqual(reached, [3, 3, 3]);
});

test('a page of another origin gets nothing', async () => {
  const found = await run(other, async ({ url, key, here, question }) => {
    const { MeshCloak } = await import('/index.js');
    const mesh = new MeshCloak({ url, key, attempts: 1 });
    return mesh.ask({ person: 'a', ...here, k: 3, dt: 0, dc: 800, question }).then(() => 'answered', (error) => error.name);
  });
  assert.equal(found, 'Unreachable');
});
