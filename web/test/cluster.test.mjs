// The cluster view of a frontend: cities, owners, and the takeover after a kill of an owner.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, binary, browser, open, picture, root, serve } from './harness.mjs';

const CITIES = 'west=city:500:7@8.0,53.0;east=city:500:7@9.0,53.0';
const nats = process.env.MESHCLOAK_NATS ?? join(root, 'target/nats/bin/nats-server');
let chrome, server, engines, frontend;

const freePort = () =>
  new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });

/** Starts one NATS server; resolves once it accepts connections. */
async function startNats(folder) {
  const port = await freePort();
  const child = spawn(nats, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', join(folder, 'js')], { stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  await new Promise((done, fail) => {
    child.stderr.on('data', (chunk) => String(chunk).includes('Server is ready') && done());
    child.on('exit', (code) => fail(new Error(`nats-server ended with ${code}`)));
  });
  child.removeAllListeners('exit');
  return { url: `nats://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'meshcloak-'));
  const keys = join(folder, 'keys.json');
  execFileSync(binary, ['keys', 'add', 'app', '--keys', keys], { stdio: 'ignore' });
  writeFileSync(join(folder, 'secret'), Buffer.alloc(32, 7));
  [server, chrome] = await Promise.all([startNats(folder), browser()]);
  const start = (role, name, said) => {
    const settings = [`map.cities=${CITIES}`, 'cluster.replicas=1', 'cluster.lease=2', `cluster.name=${name}`, `cluster.secret=${join(folder, 'secret')}`,
      `accounts.keys=${keys}`, 'server.metrics=127.0.0.1:0'].flatMap((setting) => ['--set', setting]);
    return serve(['--role', role, '--cluster', server.url, '--listen', '127.0.0.1:0', ...settings], said);
  };
  const names = ['engine-1', 'engine-2'];
  const started = await Promise.all(names.map((name) => start('engine', name, /engine metrics: (\S+)/)));
  engines = Object.fromEntries(names.map((name, index) => [name, started[index]]));
  frontend = await start('frontend', 'frontend-1', /operator page: (http:\/\/\S+)/);
});
after(async () => {
  await chrome?.close();
  await frontend?.stop();
  await Promise.all(Object.values(engines ?? {}).map((engine) => engine.kill()));
  server?.stop();
});

/** Owner of each city, as the page shows it. */
const owners = (page) =>
  page.evaluate(() => Object.fromEntries([...document.querySelectorAll('#cities tbody tr')].map(({ cells }) => [cells[0].textContent, cells[1].textContent])));

test('the page shows cities, owners and takeovers', async () => {
  const { page, wrong, close } = await open(chrome, `${frontend.url}#cluster`);
  await page.waitForFunction(() => document.querySelectorAll('#cities tbody tr').length === 2);
  await page.waitForFunction(() => /^2 cities with an owner, 2 engines and 1 frontend\.$/.test(document.querySelector('#status')?.textContent ?? ''));
  const earlier = await owners(page);
  assert.deepEqual(new Set(Object.values(earlier)), new Set(['engine-1', 'engine-2']), 'cities spread over the engines');
  const [city, owner] = Object.entries(earlier)[0];
  const heir = owner === 'engine-1' ? 'engine-2' : 'engine-1';
  await engines[owner].kill();
  await page.waitForFunction((text) => document.querySelector('#takeovers')?.textContent.includes(text), `${city}: ${heir} took over from ${owner}`);
  await page.waitForFunction(() => document.querySelectorAll('#cities tbody tr').length === 2);
  assert.deepEqual(new Set(Object.values(await owners(page))), new Set([heir]));
  await picture(page, 'cluster');
  assert.deepEqual(await accessible(page), []);
  assert.deepEqual(wrong, []);
  await close();
});
