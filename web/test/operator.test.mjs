// The operator's page of a production gateway: health, throughput, regions, no users.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readMap } from './brute.mjs';
import { MAP, accessible, browser, count, drawn, open, picture, plain, streets } from './harness.mjs';

let gateway, chrome, people;

before(async () => {
  [gateway, chrome] = await Promise.all([plain(MAP), browser()]);
  people = `http://${/listening on (\S+)/.exec(gateway.said())[1]}/v1/queries`;
});
after(async () => {
  await chrome?.close();
  await gateway?.stop();
});

async function sendQueries(round) {
  const [node] = readMap(MAP).nodes.values();
  const ask = (number) => fetch(people, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({
      ticket: `t${round}-${number}`, person: `p${number}`, lon: node.lon, lat: node.lat, k: 3, dt: 5, dc: 400,
      question: { find: 'nearest', count: 3 },
    }),
  }).then((response) => response.json());
  return Promise.all(Array.from({ length: 12 }, (_, number) => ask(number)));
}

test('the operator sees health and regions', async () => {
  const { page, wrong, close } = await open(chrome, gateway.url);
  await page.waitForFunction(() => /is healthy/.test(document.querySelector('#status')?.textContent ?? ''));
  await streets(page);
  await page.waitForFunction(() => document.querySelector('#regions strong')?.textContent !== '–');
  let seen = false;
  page.waitForFunction(() => Number(document.querySelector('#regions strong')?.textContent) > 0).then(() => (seen = true));
  for (let round = 0; !seen && round < 20; round++) {
    const answers = await sendQueries(round);
    assert.ok(answers.some(({ outcome }) => outcome === 'answered'), JSON.stringify(answers[0]));
  }
  assert.ok(seen, 'a region was shown');
  assert.match(await page.locator('#withheld').innerText(), /^The guard has rejected no set\. Sets without a question: \d+\.$/);
  await picture(page, 'operator-light');
  assert.equal(await page.locator('#views a').count(), 1);
  assert.deepEqual(await accessible(page), []);
  assert.deepEqual(wrong, []);
  await close();
});

test('a region is highlighted at every zoom', async () => {
  const { page, wrong, close } = await open(chrome, gateway.url);
  const [west, south, east, north] = (await (await fetch(new URL('map/info', gateway.url))).json()).middle;
  for (const zoom of [9, 12]) {
    await page.goto(`${gateway.url}?${zoom}#?at=${zoom},${(south + north) / 2},${(west + east) / 2}`);
    await page.waitForFunction((zoom) => document.querySelector('.map')?.dataset.whole === zoom, zoom.toFixed(2));
    // Earlier highlights fade over the following seconds.
    while ((await drawn(page, 0, 'coloured')) > 0);
    let lit = 0;
    for (let round = 0; lit === 0 && round < 20; round++) {
      await sendQueries(`${zoom}-${round}`);
      lit = await drawn(page, 0, 'coloured');
    }
    assert.ok(lit > 0, `at ${zoom}`);
  }
  assert.deepEqual(wrong, []);
  await close();
});

test('the operator page shows no users', async () => {
  for (const path of ['demo/live', 'demo/info']) {
    assert.equal((await fetch(new URL(path, gateway.url))).status, 404);
    assert.equal((await fetch(new URL(`/${path}`, people))).status, 404);
  }
});

/** No frame draws more triangles: by estimate, software draws these in about the time it takes for an empty map. */
const BUDGET = 100_000;

test('sixty thousand streets stay within the triangle budget of a frame', async () => {
  const large = await plain('city:60000:1', ['engine.dc_max=200', 'limits.dc_max=200']);
  const { page, wrong, close } = await open(chrome, large.url);
  await page.addInitScript(count);
  await page.goto(`${large.url}?counted`);
  await streets(page);
  const [west, south, east, north] = (await (await fetch(new URL('map/info', large.url))).json()).middle;
  for (const zoom of [8, 9, 10, 11, 12, 12.9, 13, 14, 15, 16, 18]) {
    const drawn = await page.evaluate(async ({ hash, zoom }) => {
      location.hash = hash;
      const frame = () => new Promise(requestAnimationFrame);
      let most = 0;
      for (let still = 0; still < 3; ) {
        window.triangles = 0;
        await frame();
        most = Math.max(most, window.triangles);
        if (document.querySelector('.map').dataset.whole === zoom) still++;
      }
      return most;
    }, { hash: `#?at=${zoom},${(south + north) / 2},${(west + east) / 2}`, zoom: zoom.toFixed(2) });
    assert.ok(drawn > 100 && drawn <= BUDGET, `${drawn} at ${zoom}`);
    if (process.env.MESHCLOAK_TELL) console.log(zoom, drawn);
  }
  assert.deepEqual(wrong, []);
  await close();
  await large.stop();
});
