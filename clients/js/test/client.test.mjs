// The client against a real gateway: answers, refusals, streams, sockets; and that it fails closed.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as client from '../dist/index.js';
import { root, start } from './gateway.mjs';

const { MeshCloak, NotHidden, Refused, Unreachable, describe } = client;
const question = { find: 'nearest', count: 3 };
let gateway;
let mesh;
let here;

/** A query of a user near the middle of the map, where a street is. */
const query = (person, more = {}) => ({ person, ...here, k: 3, dt: 20, dc: 800, question, ...more });

before(async () => {
  gateway = await start();
  mesh = new MeshCloak(gateway);
  here = await street();
});
after(() => gateway.stop());

/** Finds a position on a street: off the map the gateway refuses. */
async function street() {
  for (let step = 0; step < 400; step++) {
    const at = { lon: gateway.middle.lon + step * 2e-5, lat: gateway.middle.lat + step * 1e-5 };
    try {
      await mesh.ask({ person: `scout${step}`, ...at, k: 2, dt: 0, dc: 100, question });
    } catch (error) {
      if (error instanceof NotHidden) return at;
      assert.equal(error.reason, 'off-map');
    }
  }
  throw new Error('no street near the middle of the map');
}

test('users who ask together are answered with receipts', async () => {
  const answers = await Promise.all(['a', 'b', 'c'].map((person) => mesh.ask(query(person))));
  for (const { objects, receipt } of answers) {
    assert.equal(objects.length, 3);
    assert.deepEqual(objects, answers[0].objects);
    assert.ok(objects[0].metres <= objects[1].metres);
    assert.equal(receipt.k_reached, 3);
    assert.match(describe(receipt), /hidden among at least 3 users, 3 of them asking/);
  }
});

test('a user alone gets no answer', async () => {
  await assert.rejects(mesh.ask(query('d', { dt: 0 })), NotHidden);
});

test('present users hide one who asks', async () => {
  const report = ({ question: _, ...rest }) => rest;
  const [answer] = await Promise.all([mesh.ask(query('e')), ...['f', 'g'].map((person) => mesh.present(report(query(person))))]);
  assert.equal(answer.receipt.k_reached, 3);
});

test('refusals name their reason', async () => {
  const refused = (reason) => (error) => error instanceof Refused && error.reason === reason && error.message.length > 10;
  await assert.rejects(mesh.ask(query('h', { lon: 0, lat: 0 })), refused('off-map'));
  await assert.rejects(mesh.ask(query('h', { k: 1 })), refused('k'));
  await assert.rejects(new MeshCloak({ ...gateway, key: 'mc_wrong' }).ask(query('h')), refused('key'));
  await assert.rejects(mesh.cancel('never-used'), refused('unknown'));
});

test('a lost response is asked for again with the same ticket', async () => {
  const tickets = [];
  const lossy = async (url, init) => {
    tickets.push(JSON.parse(init.body).ticket);
    if (tickets.length > 1) return fetch(url, init);
    // The request arrives, its response does not.
    fetch(url, init).catch(() => {});
    throw new TypeError('network');
  };
  const flaky = new MeshCloak({ ...gateway, fetch: lossy });
  const [answer] = await Promise.all([flaky.ask(query('i')), mesh.ask(query('j')), mesh.ask(query('k'))]);
  assert.equal(tickets.length, 2);
  assert.equal(new Set([...tickets, answer.ticket]).size, 1);
});

test('a query can be cancelled and aborted', async () => {
  const waiting = mesh.ask(query('l', { ticket: 'to-cancel' }));
  const ended = assert.rejects(waiting, NotHidden);
  // The ticket exists once the gateway has read the query.
  for (;;) {
    const cancelled = await mesh.cancel('to-cancel').catch((error) => error.reason);
    if (cancelled === true) break;
    assert.equal(cancelled, 'unknown');
  }
  await ended;
  const abort = new AbortController();
  const aborted = assert.rejects(mesh.ask(query('m'), { signal: abort.signal }), { name: 'AbortError' });
  abort.abort();
  await aborted;
});

test('a stream answers each of its queries', async () => {
  const people = ['n', 'o', 'p'];
  const queries = [...people.map((person) => query(person, { ticket: person })), query('q', { ticket: 'q', lon: 0, lat: 0 })];
  const found = new Map();
  for await (const line of mesh.stream(queries)) found.set(line.ticket, line);
  for (const person of people) assert.equal(found.get(person).answer.objects.length, 3);
  assert.equal(found.get('q').error.reason, 'off-map');
});

test('a session resumes after its socket is lost, and loses no answer', async () => {
  const sockets = [];
  class Recorded extends WebSocket {
    constructor(...all) {
      super(...all);
      sockets.push(this);
    }
  }
  const live = new MeshCloak({ ...gateway, WebSocket: Recorded }).live({ person: 'r', ask: { k: 3, dt: 20, question } });
  const events = live[Symbol.asyncIterator]();
  assert.equal(live.position(here), false, 'nothing is sent before the session is open');
  assert.deepEqual((await events.next()).value, { type: 'open', resumed: false });
  assert.ok(live.position({ ...here, ticket: 'live-1', dc: 800 }));
  // The gateway answers the ticket only after it has read the position.
  while ((await fetch(`${gateway.url}/v1/queries`, { method: 'POST', headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }, body: JSON.stringify({ ...query('r'), ticket: 'live-1', k: 4 }) })).status !== 409);
  sockets[0].close();
  const closed = (await events.next()).value;
  assert.equal(closed.type, 'closed');
  await Promise.all([mesh.ask(query('s')), mesh.ask(query('t'))]);
  const seen = [(await events.next()).value, (await events.next()).value];
  assert.deepEqual(seen[0], { type: 'open', resumed: true });
  assert.equal(seen[1].answer.ticket, 'live-1');
  assert.equal(sockets.length, 2);
  assert.ok(live.position({ lon: 0, lat: 0 }));
  const { value: refused } = await events.next();
  assert.equal(refused.error.reason, 'off-map');
  live.close();
  assert.equal((await events.next()).done, true);
});

test('a refused key ends a session', async () => {
  const live = new MeshCloak({ ...gateway, key: 'mc_wrong' }).live({ person: 'u', maxBackoff: 300 });
  const { value } = await live[Symbol.asyncIterator]().next();
  assert.equal(value.type, 'closed');
  assert.equal(live.isOpen, false);
  live.close();
});

test('positions are never sent in the clear or elsewhere', async () => {
  for (const url of ['http://gateway.example', 'http://127.0.0.1.example', 'ftp://127.0.0.1']) {
    assert.throws(() => new MeshCloak({ url, key: 'k' }), /https only/, url);
  }
  const asked = [];
  const elsewhere = createServer((request, response) => {
    asked.push(request.url);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  const target = `http://127.0.0.1:${elsewhere.address().port}/`;
  const redirecting = createServer((_, response) => response.writeHead(307, { location: target }).end()).listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${redirecting.address().port}`;
  await assert.rejects(new MeshCloak({ url, key: 'k' }).ask(query('v')), Unreachable);
  const garbled = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await assert.rejects(new MeshCloak({ url: `http://127.0.0.1:${garbled.address().port}`, key: 'k' }).ask(query('w')), Unreachable);
  assert.deepEqual(asked, []);
  [elsewhere, redirecting, garbled].forEach((server) => server.close());
});

test('only an answered result is an answer', async () => {
  for (const outcome of ['expired', 'cancelled', 'failed', 'present', 'refused', 'other']) {
    const fake = async () => new Response(JSON.stringify({ ticket: 't', outcome, answer: [{}], receipt: { exact: true } }));
    await assert.rejects(new MeshCloak({ ...gateway, fetch: fake }).ask(query('x')), client.MeshCloakError, outcome);
  }
  const partial = async () => new Response(JSON.stringify({ ticket: 't', outcome: 'answered', answer: [], receipt: { exact: false } }));
  await assert.rejects(new MeshCloak({ ...gateway, fetch: partial }).ask(query('x')), client.NotExact);
  assert.deepEqual((await new MeshCloak({ ...gateway, fetch: partial, exact: false }).ask(query('x'))).objects, []);
});

test('the package is smaller than 10 kB gzipped', () => {
  const folder = join(root, 'clients/js/dist');
  const code = readdirSync(folder).filter((name) => name.endsWith('.js')).map((name) => readFileSync(join(folder, name)));
  const bytes = gzipSync(Buffer.concat(code), { level: 9 }).length;
  console.log(`${bytes} bytes gzipped`);
  assert.ok(bytes < 10_000, `${bytes}`);
});

test('the types are those of the OpenAPI document', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'meshcloak-types-'));
  writeFileSync(join(folder, 'api.json'), await (await fetch(`${gateway.url}/v1/openapi.json`)).text());
  execFileSync(join(root, 'clients/js/node_modules/.bin/openapi-typescript'), [join(folder, 'api.json'), '--output', join(folder, 'schema.ts')], { stdio: 'ignore' });
  const made = readFileSync(join(folder, 'schema.ts'), 'utf8');
  const path = join(root, 'clients/js/src/schema.ts');
  if (process.env.MESHCLOAK_BLESS) writeFileSync(path, made);
  assert.equal(readFileSync(path, 'utf8'), made);
});
