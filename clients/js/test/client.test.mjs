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
import { root, start, street } from './gateway.mjs';

const { MeshCloak, NotHidden, Refused, Unreachable, describe } = client;
const question = { find: 'nearest', count: 3 };
let gateway, mesh, here, api;

/** A query of a user near the middle of the map, where a street is. */
const query = (person, more = {}) => ({ person, ...here, k: 3, dt: 20, dc: 800, question, ...more });

before(async () => {
  gateway = await start();
  mesh = new MeshCloak(gateway);
  here = await street(gateway, mesh, client);
  // The gateway closes connections that are idle while `npm` runs below.
  api = await (await fetch(`${gateway.url}/v1/openapi.json`)).text();
});
after(() => gateway.stop());

test('users who ask together are answered with receipts', async () => {
  const answers = await Promise.all(['a', 'b', 'c'].map((person) => mesh.ask(query(person))));
  for (const { objects, receipt } of answers) {
    assert.equal(objects.length, 3);
    assert.deepEqual(objects, answers[0].objects);
    assert.ok(objects[0].metres <= objects[1].metres);
    assert.equal(receipt.k_reached, 3);
    assert.match(describe(receipt), /hidden among at least 3 users, at least 3 of them asking.*Kept secret: who asked what/);
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

test('a stream that is made as it goes answers each of its queries', async () => {
  async function* made() {
    for (const person of ['na', 'oa', 'pa']) yield query(person);
  }
  const lines = [];
  for await (const line of mesh.stream(made())) lines.push(line.answer.receipt.k_reached);
  assert.deepEqual(lines, [3, 3, 3]);
});

test('the user of a personal token asks with it', async () => {
  const mine = new MeshCloak({ ...gateway, key: await gateway.token('jo') });
  const { k, categories } = await mine.own();
  assert.deepEqual([k, categories.includes('cafe')], [3, true]);
  const own = { ...here, question };
  const [answer] = await Promise.all([mine.askOwn(own), mesh.ask(query('y')), mesh.ask(query('z'))]);
  assert.equal(answer.receipt.k_reached, 3);
  assert.equal(answer.objects.length, 3);
  await assert.rejects(mine.askOwn({ ...own, dt: 0 }), NotHidden);
  await assert.rejects(mine.ask(query('jo')), (error) => error instanceof Refused && error.reason === 'key');
  let asked = 0;
  const lost = new MeshCloak({ ...gateway, fetch: async () => { asked += 1; throw new TypeError('network'); } });
  await assert.rejects(lost.askOwn(own), Unreachable);
  assert.equal(asked, 1, 'a question without a ticket is not repeated');
});

/** A WebSocket that counts how often it is opened. */
const counted = () => {
  const sockets = [];
  class Counted extends WebSocket {
    constructor(...all) {
      super(...all);
      sockets.push(this);
    }
  }
  return { sockets, Counted };
};

test('a session resumes after its socket is lost, and loses no answer', async () => {
  const { sockets, Counted } = counted();
  const live = new MeshCloak({ ...gateway, WebSocket: Counted }).live({ person: 'r', ask: { k: 3, dt: 20, question } });
  const events = live[Symbol.asyncIterator]();
  assert.equal(live.position(here), false, 'nothing is sent before the session is open');
  assert.deepEqual((await events.next()).value, { type: 'open', resumed: false });
  assert.ok(live.position({ ...here, ticket: 'live-1', dc: 800 }));
  // Messages are read in order: the refusal shows that the position before it was read.
  assert.ok(live.position({ lon: 0, lat: 0 }));
  assert.equal((await events.next()).value.error.reason, 'off-map');
  sockets[0].close();
  const closed = (await events.next()).value;
  assert.equal(closed.type, 'closed');
  await Promise.all([mesh.ask(query('s')), mesh.ask(query('t'))]);
  const seen = [(await events.next()).value, (await events.next()).value];
  assert.deepEqual(seen[0], { type: 'open', resumed: true });
  assert.equal(seen[1].answer.ticket, 'live-1');
  assert.equal(sockets.length, 2);
  live.close();
  assert.equal((await events.next()).done, true);
});

test('a session that is gone begins anew with what it asked', async () => {
  const hellos = [];
  class Forgetful extends WebSocket {
    send(text) {
      const message = JSON.parse(text);
      if (message.type === 'hello') hellos.push(this);
      // The gateway does not know this session any more, as after `results.keep` or a restart.
      super.send(JSON.stringify(message.resume ? { ...message, resume: 'gone' } : message));
    }
  }
  await gateway.token('ra');
  const live = new MeshCloak({ ...gateway, WebSocket: Forgetful }).live({ person: 'ra', ask: { k: 3, dt: 20, question } });
  const events = live[Symbol.asyncIterator]();
  assert.deepEqual((await events.next()).value, { type: 'open', resumed: false });
  assert.ok(live.ask({ question: { find: 'nearest', count: 1 } }));
  hellos[0].close();
  assert.equal((await events.next()).value.type, 'closed');
  assert.deepEqual((await events.next()).value, { type: 'open', resumed: false });
  assert.ok(live.position({ ...here, dc: 800 }));
  const others = ['rb', 'rc'].map((person) => mesh.ask(query(person)));
  const event = (await events.next()).value;
  // The settings of the user have no question, and the session began with one for three objects.
  assert.equal(event.answer?.objects.length, 1, JSON.stringify(event));
  await Promise.all(others);
  live.close();
});

test('a refused key ends a session', async () => {
  const { sockets, Counted } = counted();
  const live = new MeshCloak({ ...gateway, key: 'mc_wrong', WebSocket: Counted }).live({ person: 'u', maxBackoff: 300 });
  const events = [];
  for await (const event of live) events.push(event);
  assert.deepEqual(events.map(({ type }) => type), ['closed', 'error']);
  assert.ok(events[1].error instanceof Refused && events[1].error.reason === 'key', events[1].error);
  assert.deepEqual([live.isOpen, sockets.length], [false, 1]);
});

test('a session whose gateway does not answer tries again', async () => {
  const { sockets, Counted } = counted();
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${server.address().port}`;
  await new Promise((done) => server.close(done));
  const live = new MeshCloak({ url, key: gateway.key, WebSocket: Counted }).live({ person: 'u', maxBackoff: 1 });
  const events = live[Symbol.asyncIterator]();
  for (let attempt = 1; attempt <= 3; attempt++) {
    assert.equal((await events.next()).value.type, 'closed');
    assert.equal(sockets.length, attempt);
  }
  live.close();
});

test('positions are never sent in the clear or elsewhere', async () => {
  for (const url of ['http://gateway.example', 'http://127.0.0.1.example', 'ftp://127.0.0.1']) {
    assert.throws(() => new MeshCloak({ url, key: 'k' }), /https only/, url);
  }
  const asked = [];
  const servers = [];
  /** A web server on this machine; resolves with its address. */
  const site = async (answer) => {
    const server = createServer(answer);
    servers.push(server);
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${server.address().port}`;
  };
  const elsewhere = await site((request, response) => {
    asked.push(request.url);
    response.end('{}');
  });
  const redirecting = await site((_, response) => response.writeHead(307, { location: elsewhere }).end());
  const garbled = await site((_, response) => response.end('<html>'));
  for (const url of [redirecting, garbled]) {
    await assert.rejects(new MeshCloak({ url, key: 'k' }).ask(query('v')), Unreachable, url);
    await assert.rejects(new MeshCloak({ url, key: 'k' }).askOwn({ ...here, question }), Unreachable, url);
  }
  assert.deepEqual(asked, []);
  servers.forEach((server) => server.close().closeAllConnections());
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

test('the packed package installs into an empty folder, runs in Node and has types', () => {
  const folder = mkdtempSync(join(tmpdir(), 'meshcloak-app-'));
  const source = join(root, 'clients/js');
  const npm = (...all) => execFileSync('npm', [...all, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, encoding: 'utf8' });
  const [packed] = JSON.parse(npm('pack', source, '--json', '--ignore-scripts'));
  const files = packed.files.map(({ path }) => path);
  assert.ok(files.includes('dist/index.js') && files.includes('dist/index.d.ts') && files.includes('README.md'), files);
  assert.deepEqual(files.filter((path) => !/^(dist\/[a-z]+\.(js|d\.ts)|README\.md|package\.json)$/.test(path)), []);
  writeFileSync(join(folder, 'package.json'), '{"name":"app","version":"1.0.0","type":"module"}');
  npm('install', join(folder, packed.filename));
  assert.deepEqual(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')), ['meshcloak']);
  const program = `import { MeshCloak, NotHidden, type Answer } from 'meshcloak';
export const ask = (mesh: MeshCloak): Promise<Answer> => mesh.ask({ person: 'jo', lon: 9, lat: 48, k: 3, dt: 20, dc: 400, question: { find: 'nearest', count: 3 } });
new MeshCloak({ url: 'https://gateway.example', key: 'k' });
console.log(new NotHidden('no').name);
`;
  writeFileSync(join(folder, 'app.ts'), program);
  const tsc = (...all) => execFileSync(join(source, 'node_modules/.bin/tsc'), ['app.ts', '--strict', '--target', 'es2022', '--module', 'nodenext', ...all], { cwd: folder, encoding: 'utf8' });
  tsc();
  assert.equal(execFileSync('node', ['app.js'], { cwd: folder, encoding: 'utf8' }), 'NotHidden\n');
  writeFileSync(join(folder, 'app.ts'), program.replace("person: 'jo'", 'person: 7'));
  assert.throws(() => tsc('--noEmit'), ({ stdout }) => /type 'number' is not assignable to type 'string'/i.test(stdout));
});

test('the types are those of the OpenAPI document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'meshcloak-types-'));
  writeFileSync(join(folder, 'api.json'), api);
  execFileSync(join(root, 'clients/js/node_modules/.bin/openapi-typescript'), [join(folder, 'api.json'), '--output', join(folder, 'schema.ts')], { stdio: 'ignore' });
  const made = readFileSync(join(folder, 'schema.ts'), 'utf8');
  const path = join(root, 'clients/js/src/schema.ts');
  if (process.env.MESHCLOAK_BLESS) writeFileSync(path, made);
  assert.equal(readFileSync(path, 'utf8'), made);
});
