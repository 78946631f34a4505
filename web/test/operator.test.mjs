// The page of a gateway for real people: its health, its pace, its regions, and nobody.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readMap } from './brute.mjs';
import { MAP, accessible, binary, browser, open, picture, serve, streets } from './harness.mjs';

let gateway, chrome, key, people;

before(async () => {
  const keys = join(mkdtempSync(join(tmpdir(), 'meshcloak-')), 'keys.json');
  key = execFileSync(binary, ['keys', 'add', 'app', '--keys', keys], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const settings = ['server.metrics=127.0.0.1:0', `accounts.keys=${keys}`].flatMap((s) => ['--set', s]);
  [gateway, chrome] = await Promise.all([
    serve(['--map', MAP, '--listen', '127.0.0.1:0', ...settings], /operator's page is at (http:\/\/\S+)/),
    browser(),
  ]);
  people = `http://${/listening on (\S+)/.exec(gateway.said())[1]}/v1/queries`;
});
after(async () => {
  await chrome?.close();
  await gateway?.stop();
});

async function crowd(round) {
  const [node] = readMap(MAP).nodes.values();
  const ask = (number) => fetch(people, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      ticket: `t${round}-${number}`, person: `p${number}`, lon: node.lon, lat: node.lat, k: 3, dt: 5, dc: 400,
      question: { find: 'nearest', count: 3 },
    }),
  }).then((response) => response.json());
  return Promise.all(Array.from({ length: 12 }, (_, number) => ask(number)));
}

test('the operator sees that it works, and regions', async () => {
  const { page, wrong, close } = await open(chrome, gateway.url);
  await page.waitForFunction(() => /is well/.test(document.querySelector('#status')?.textContent ?? ''));
  await streets(page);
  await page.waitForFunction(() => document.querySelector('#regions strong')?.textContent !== '–');
  let seen = false;
  page.waitForFunction(() => Number(document.querySelector('#regions strong')?.textContent) > 0).then(() => (seen = true));
  for (let round = 0; !seen && round < 20; round++) {
    const answers = await crowd(round);
    assert.ok(answers.some(({ outcome }) => outcome === 'answered'), JSON.stringify(answers[0]));
  }
  assert.ok(seen, 'a region was shown');
  await picture(page, 'operator-light');
  assert.equal(await page.locator('#views a').count(), 1);
  assert.deepEqual(await accessible(page), []);
  assert.deepEqual(wrong, []);
  await close();
});

test('there is no crowd to look at', async () => {
  for (const path of ['demo/live', 'demo/info']) {
    assert.equal((await fetch(new URL(path, gateway.url))).status, 404);
    assert.equal((await fetch(new URL(`/${path}`, people))).status, 404);
  }
});
