// The page in a real browser against a real demo.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { metresOf, readMap, snap, ways } from './brute.mjs';
import { MAP, accessible, browser, demo, fragment, number, open, picture, root, streets } from './harness.mjs';

let gateway, chrome, city;

before(async () => {
  city = readMap(MAP);
  [gateway, chrome] = await Promise.all([demo(), browser()]);
});
after(async () => {
  await chrome?.close();
  await gateway?.stop();
});

const fine = (wrong) => assert.deepEqual(wrong, []);

test('the page loads, draws streets, and its counters move', async () => {
  const { page, wrong, close } = await open(chrome, gateway.url);
  await streets(page);
  await page.waitForFunction(() => Number(document.querySelector('#asked strong')?.textContent) > 0);
  const seen = new Set();
  while (seen.size < 3) {
    seen.add(await page.evaluate(() => ['asked', 'waiting', 'sets', 'delay'].map((id) => document.querySelector(`#${id} strong`)?.textContent).join(' ')));
    await page.waitForFunction((last) => ['asked', 'waiting', 'sets', 'delay'].map((id) => document.querySelector(`#${id} strong`)?.textContent).join(' ') !== last, [...seen].at(-1));
  }
  await page.waitForFunction(() => Number(document.querySelector('#success strong')?.textContent) > 50);
  assert.ok((await number(page, 'set-size')) >= 2);
  assert.match(await page.locator('#panel').innerText(), /users are simulated/);
  fine(wrong);
  await close();
});

async function ask(page, settings) {
  await page.goto(`${gateway.url}#live`);
  await page.goto(`${gateway.url}#ask?${new URLSearchParams(settings)}`);
  await page.locator('#agent').waitFor();
  await page.waitForFunction(() => document.querySelector('#where'));
}

for (const along of ['streets', 'plane']) {
  for (const find of ['nearest-3', 'within-500']) {
    test(`${find} along ${along} is answered exactly`, async () => {
      const { page, wrong, close } = await open(chrome, gateway.url);
      const category = 'restaurant';
      const near = city.pois.filter((p) => p.category === category);
      let me = null;
      for (let tries = 0; !me && tries < 8; tries++) {
        const centre = near[tries * 3];
        await ask(page, { k: 2, dt: 20, pace: 'car', find, along, category, lon: centre.lon, lat: centre.lat });
        const truth = page.waitForResponse((r) => r.url().includes('/demo/asked/'));
        await page.locator('#ask').click();
        const told = await (await truth).json();
        if (told.me) me = { lon: told.me[0], lat: told.me[1] };
      }
      assert.ok(me, 'a query was answered');
      await page.locator('#receipt').waitFor();
      const got = await page.locator('#found li').evaluateAll((list) => list.map((li) => ({ id: li.dataset.id, metres: Number(li.dataset.metres) })));
      const expected = brute(me, along, find, category);
      assert.ok(expected.length > 0);
      assert.equal(got.length, expected.length, JSON.stringify([got, expected.slice(0, 5)]));
      got.forEach((g, i) => assert.ok(Math.abs(g.metres - expected[i].metres) < 1.5, JSON.stringify([g, expected[i]])));
      const [reached, asking] = /at least (\d+) members, at least (\d+) of them asking/.exec(await page.locator('#receipt').innerText()).slice(1).map(Number);
      const others = Number(/You and (\d+) others?, mutually/.exec(await page.locator('#story').innerText())[1]);
      assert.ok(others + 1 >= reached && reached >= 2 && asking >= 1, `${others} others, receipt ${reached}, ${asking}`);
      assert.match(await page.locator('#receipt').innerText(), /Secret: who asked what\./);
      assert.match(await page.locator('#receipt').innerText(), /exact: equal to that of a query with your true position/);
      fine(wrong);
      await close();
    });
  }
}

function brute(me, along, find, category) {
  const here = metresOf(city, me);
  const place = snap(city, here);
  const way = ways(city, place);
  const [kind, n] = find.split('-');
  const all = city.pois.filter((p) => p.category === category).map((p) => ({
    id: p.id, metres: along === 'plane' ? Math.hypot(p.x - here.x, p.y - here.y) : way(snap(city, p)),
  })).sort((a, b) => a.metres - b.metres);
  return kind === 'nearest' ? all.slice(0, Number(n)) : all.filter((p) => p.metres <= Number(n));
}

test('an expired query is explained', async () => {
  const { page, wrong, close } = await open(chrome, gateway.url);
  const rim = [...city.nodes.values()].sort((a, b) => a.x + a.y - b.x - b.y)[0];
  await ask(page, { k: 50, dt: 1, pace: 'foot', lon: rim.lon, lat: rim.lat });
  await page.locator('#ask').click();
  await page.locator('#expired').waitFor();
  const text = await page.locator('#expired').innerText();
  assert.match(text, /expired/);
  assert.match(text, /Nothing was sent to the service/);
  assert.match(text, /waited in mutual reach/);
  assert.equal(await page.locator('#receipt').count(), 0);
  fine(wrong);
  await close();
});

test('the adversary learns more from a weaker scheme', async () => {
  const { page, wrong, close } = await open(chrome, `${gateway.url}#attack?left=planar-laplace&right=reciprocal&attack=inversion`);
  const people = async () => (await page.locator('tr[data-row=people] td').allInnerTexts()).map(Number);
  await page.locator('tr[data-row=people]').waitFor();
  await streets(page, 0);
  await streets(page, 1);
  const [noise, mesh] = await people();
  assert.ok(noise <= 1 && mesh >= 2 && noise < mesh, `${noise} ${mesh}`);
  const before = await fragment(page);
  await page.locator('#next-victim').click();
  await page.waitForFunction((old) => location.hash !== old, before);
  assert.match(await fragment(page), /victim=\d+/);
  assert.match(await fragment(page), /moment=\d+/);
  fine(wrong);
  await close();
});

test('the page state is in the URL', async () => {
  const { page, close } = await open(chrome, `${gateway.url}#ask?k=7&dt=9&pace=foot&find=within-200&along=plane`);
  await page.locator('#ask').waitFor();
  assert.match(await page.locator('form').innerText(), /7 users[\s\S]*9 s/);
  await page.locator('input[aria-label="Hide me among"]').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /k=8/.test(location.hash));
  await close();
});

for (const colours of ['light', 'dark']) {
  for (const view of ['live', 'ask', 'attack']) {
    test(`${view} in ${colours} colours is accessible`, async () => {
      const { page, wrong, close } = await open(chrome, `${gateway.url}#${view}`, { colorScheme: colours });
      await streets(page);
      if (view === 'attack') await page.locator('tr[data-row=people]').waitFor();
      if (view === 'ask') {
        await page.locator('#middle').click();
        await page.locator('#ask').click();
        await page.locator('#receipt, #expired').first().waitFor();
      }
      if (view === 'live') await page.waitForFunction(() => Number(document.querySelector('#success strong')?.textContent) > 0);
      await picture(page, `${view}-${colours}`);
      assert.deepEqual(await accessible(page), []);
      fine(wrong);
      await close();
    });
  }
}

test('the page works at phone width', async () => {
  for (const view of ['live', 'ask', 'attack']) {
    const { page, wrong, close } = await open(chrome, `${gateway.url}#${view}`, { viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true });
    await streets(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 375, `${view} is ${wide} wide`);
    assert.deepEqual(await accessible(page), []);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const top = await page.locator('.bar').evaluate((bar) => bar.getBoundingClientRect().top);
    assert.equal(top, 0, `${view}: the bar stays in sight`);
    await picture(page, `${view}-phone`);
    fine(wrong);
    await close();
  }
});

test('the accessibility check finds a violation', async () => {
  const { page, close } = await open(chrome, `${gateway.url}#live`);
  await page.locator('#status').waitFor();
  await page.evaluate(() => document.querySelector('#panel').append(document.createElement('button')));
  assert.match((await accessible(page)).join(), /button-name/);
  await close();
});

test('every control can be reached by keyboard', async () => {
  const { page, close } = await open(chrome, `${gateway.url}#ask`);
  await page.locator('#ask').waitFor();
  const wanted = new Set(['theme', 'middle', 'agent', 'ask']);
  for (let presses = 0; wanted.size > 0 && presses < 60; presses++) {
    await page.keyboard.press('Tab');
    wanted.delete(await page.evaluate(() => document.activeElement?.id ?? ''));
  }
  assert.deepEqual([...wanted], []);
  await close();
});

test('the types of the page are those of the API', async () => {
  const document = await (await fetch(new URL('v1/openapi.json', gateway.url))).text();
  const folder = mkdtempSync(join(tmpdir(), 'meshcloak-'));
  writeFileSync(join(folder, 'api.json'), document);
  execFileSync(join(root, 'web/node_modules/.bin/openapi-typescript'), [join(folder, 'api.json'), '--output', join(folder, 'schema.ts')], { stdio: 'ignore' });
  const made = readFileSync(join(folder, 'schema.ts'), 'utf8');
  const kept = join(root, 'web/src/api/schema.ts');
  if (process.env.MESHCLOAK_BLESS) writeFileSync(kept, made);
  assert.equal(readFileSync(kept, 'utf8'), made, 'MESHCLOAK_BLESS=1 npm test renews them');
});
