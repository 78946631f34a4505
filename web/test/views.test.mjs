// Content of each view, links, keyboard access, and escaping of names.

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browser, demo, fragment, open, picture, streets } from './harness.mjs';

let gateway, chrome;

before(async () => {
  const report = mkdtempSync(join(tmpdir(), 'meshcloak-'));
  writeFileSync(join(report, 'report.html'), '<!doctype html><title>Results</title>');
  [gateway, chrome] = await Promise.all([demo('--report', report), browser()]);
});
after(async () => {
  await chrome?.close();
  await gateway?.stop();
});

const visit = (hash, options) => open(chrome, `${gateway.url}${hash}`, options);
const options = (page, label) => page.locator(`label:has-text("${label}") option`).evaluateAll((list) => list.map((o) => o.value));

test('the live view has all counters and charts and links to the report', async () => {
  const { page, wrong, close } = await visit('#live');
  for (const id of ['asked', 'success', 'expired', 'waiting', 'set-size', 'delay', 'batch', 'sets']) {
    await page.waitForFunction((id) => /\d/.test(document.querySelector(`#${id} strong`)?.textContent ?? ''), id);
    assert.equal(await page.locator(`#${id} canvas`).count(), 1);
  }
  const link = page.getByRole('link', { name: 'The last evaluation report' });
  assert.equal((await fetch(new URL(await link.getAttribute('href'), gateway.url))).status, 200);
  assert.deepEqual(wrong, []);
  await close();
});

test('an agent can be followed by button and by link', async () => {
  const { page, wrong, close } = await visit('#ask?follow=7');
  await page.waitForFunction(() => /agent 8 of the simulation/.test(document.querySelector('#where')?.textContent ?? ''));
  await page.waitForFunction(() => document.querySelector('#asked') === null);
  await page.locator('#agent').click();
  await page.waitForFunction(() => /follow=\d+/.test(location.hash) && !/follow=7(&|$)/.test(location.hash));
  await page.locator('#ask').click();
  await page.locator('#receipt, #expired').first().waitFor();
  for (const broken of ['#ask?follow=999999', '#ask?follow=x', '#ask?lon=a&lat=b&k=-3&dt=1e9&at=1,2']) {
    await page.goto(`${gateway.url}${broken}`);
    await page.waitForFunction(() => /Click a point/.test(document.querySelector('#where')?.textContent ?? ''));
  }
  assert.deepEqual(wrong, []);
  await close();
});

test('the attack view offers every scheme and attack, with figures for one target', async () => {
  const { page, wrong, close } = await visit('#attack?left=clique-cloak&right=hilbert-cloak&attack=centre');
  const info = await (await fetch(new URL('demo/info', gateway.url))).json();
  await page.locator('tr[data-row=people]').waitFor();
  for (const side of ['Left', 'Right']) assert.deepEqual(await options(page, side), info.schemes.map((s) => s.id));
  assert.deepEqual(await options(page, 'Attack'), info.attacks.map((a) => a.id));
  assert.ok(info.schemes.length >= 15 && info.attacks.length >= 12);
  for (const row of ['metres', 'left', 'out', 'people', 'error']) {
    assert.equal((await page.locator(`tr[data-row=${row}] td`).allInnerTexts()).filter((t) => /\d/.test(t)).length, 2, row);
  }
  assert.match(await page.locator('#results').innerText(), /k′/);
  assert.deepEqual(wrong, []);
  await close();
});

test('the attack view shows regions, clocks and the tracker side by side', async () => {
  const { page, wrong, close } = await visit('#attack');
  await page.locator('tr[data-row=people]').waitFor();
  const chosen = () => Promise.all(['Left', 'Right', 'Attack'].map((label) => page.locator(`label:has-text("${label}") select`).inputValue()));
  const press = async (id) => {
    const answered = page.waitForResponse((r) => r.url().endsWith('/demo/compare') && r.status() === 200);
    await page.locator(`#${id}`).click();
    return (await answered).json();
  };
  const regions = await press('regions');
  assert.deepEqual(await chosen(), ['reciprocal', 'cell', 'region-inversion']);
  assert.ok(regions.sides.every((side) => side.path.length === 0));
  await press('clocks');
  assert.deepEqual(await chosen(), ['history', 'history-published', 'matching']);
  let tracked = await press('tracker');
  // A target that asked for the first time in the last second has no path yet.
  for (let next = 0; next < 20 && tracked.sides.some((side) => side.path.length < 2); next += 1) tracked = await press('next-victim');
  assert.deepEqual(await chosen(), ['reciprocal', 'cell', 'tracker']);
  for (const side of tracked.sides) {
    assert.ok(side.path.length >= 2 && side.path.length <= 61, `${side.path.length} points`);
    assert.equal(side.path[0].radius, 0, 'the first position is known');
    assert.ok(side.path.every((point) => Number.isFinite(point.lon + point.lat + point.radius)));
  }
  await page.getByText(/followed for \d+ s from a known position/).first().waitFor();
  await picture(page, 'attack-tracker');
  assert.deepEqual(wrong, []);
  await close();
});

test('people share their presence until the switch is off', async () => {
  const { page, wrong, close } = await visit('#live');
  const state = async () => (await (await fetch(new URL('demo/info', gateway.url))).json()).presence;
  const box = page.locator('#presence');
  await box.waitFor();
  assert.ok((await box.isChecked()) && (await state()));
  const answered = () => page.waitForResponse((r) => r.url().endsWith('/demo/presence') && r.status() === 200);
  for (const shared of [false, true]) {
    await Promise.all([answered(), box.setChecked(shared)]);
    assert.equal(await state(), shared);
  }
  assert.deepEqual(wrong, []);
  await close();
});

test('a link restores its state, from another page and from the same page', async () => {
  const { page, wrong, close } = await visit('#live');
  await streets(page);
  const centre = /at=([\d.]+),([-\d.]+),([-\d.]+)/;
  await page.mouse.move(300, 300);
  await page.mouse.wheel(0, -200);
  await page.waitForFunction(() => /at=/.test(location.hash));
  const [, zoom, lat, lon] = centre.exec(await fragment(page));
  const there = `${(Number(zoom) + 1.5).toFixed(2)},${lat},${lon}`;
  await page.evaluate((at) => (location.hash = `#ask?k=9&at=${at}`), there);
  await page.waitForFunction(() => /9 users/.test(document.querySelector('form')?.textContent ?? ''));
  await page.evaluate((at) => (location.hash = `#ask?k=12&at=${at}`), there);
  await page.waitForFunction(() => /12 users/.test(document.querySelector('form')?.textContent ?? ''));
  await page.goto(`${gateway.url}?again#attack?at=${there}`);
  await page.locator('tr[data-row=people]').waitFor();
  const restored = await fragment(page);
  assert.ok(restored.includes(`at=${there}`), restored);
  assert.deepEqual(wrong, []);
  await close();
});

test('every control of every view can be reached by keyboard', async () => {
  for (const view of ['live', 'ask', 'attack']) {
    const { page, close } = await visit(`#${view}`);
    await page.locator('#panel h1').waitFor();
    const all = await page.evaluate(() => {
      const list = [...document.querySelectorAll('a[href], button, select, input, canvas[tabindex]')].filter((e) => e.getClientRects().length > 0);
      list.forEach((element, i) => element.setAttribute('data-stop', String(i)));
      return list.length;
    });
    const reached = new Set();
    for (let presses = 0; reached.size < all && presses < all + 20; presses++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => document.activeElement?.getAttribute('data-stop'));
      if (stop !== null) reached.add(stop);
    }
    assert.equal(reached.size, all, view);
    await close();
  }
});

test('names from the map and the service are escaped', async () => {
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const { page, wrong, close } = await visit('#live');
  await page.route('**/map/info', async (route) => {
    const info = await (await route.fetch()).json();
    await route.fulfill({ json: { ...info, categories: { [evil]: 3, ...info.categories } } });
  });
  const answer = { outcome: 'answered', ticket: 't', answer: [{ id: evil, name: evil, category: evil, lon: 0, lat: 0, metres: 1 }],
    receipt: { k: 2, k_reached: 2, k_asking: 1, guarantee: evil, streets: 1, delay: 1, exact: true } };
  await page.route('**/v1/queries', (route) => route.fulfill({ json: answer }));
  const truth = { me: [0, 0], askers: [[0, 0]], set_size: 2, asking: 1, streets: [], metres: 1, asked: evil, objects: [], neighbours: null };
  await page.route('**/demo/asked/*', (route) => route.fulfill({ json: truth }));
  await page.goto(`${gateway.url}?evil#ask?category=${encodeURIComponent(evil)}`);
  await page.locator('#middle').click();
  await page.locator('#ask').click();
  assert.match(await page.locator('#receipt').innerText(), /at least 2 members, at least 1 of them asking/);
  assert.match(await page.locator('#story').innerText(), /You and 1 other, mutually reachable on the streets; 1 of you asked nothing and is present/);
  assert.ok((await page.locator('#panel').innerText()).includes(evil));
  assert.equal(await page.locator('#panel img, #panel script').count(), 0);
  assert.match(await page.title(), /MeshCloak/);
  assert.deepEqual(wrong, []);
  await close();
});

test('the content security policy blocks foreign scripts', async () => {
  const policy = (await fetch(gateway.url)).headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
});
