// The app at the size of a phone, with a faked location: a token from the QR code, an answer with its
// receipt, refusals in words, and the last answer without a network.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readMap } from '../test/brute.mjs';
import { MAP, accessible, binary, browser, fragment, open, pictures, plain } from '../test/harness.mjs';

let gateway, chrome, url, here, crowd;

before(async () => {
  [gateway, chrome] = await Promise.all([plain(MAP, ['server.app=true', 'engine.tick=0.2']), browser()]);
  url = `http://${/listening on (\S+)/.exec(gateway.said())[1]}`;
  const [node] = readMap(MAP).nodes.values();
  here = { longitude: node.lon, latitude: node.lat };
});
after(async () => {
  clearInterval(crowd);
  await chrome?.close();
  await gateway?.stop();
});

/** The address that `keys token` prints, which the QR code holds. */
const address = (user) => execFileSync(binary, ['keys', 'token', user, '--gateway', url, '--key', gateway.key, '--plain'], { encoding: 'utf8' }).trim();

/** Three users near the phone who report their presence until the crowd is ended. */
function gather() {
  let round = 0;
  const report = () => {
    round += 1;
    for (const person of ['al', 'bo', 'cy']) {
      fetch(`${url}/v1/queries`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
        body: JSON.stringify({ ticket: `${person}-${round}`, person, lon: here.longitude, lat: here.latitude, k: 1, dt: 5, dc: 420 }),
      }).catch(() => {});
    }
  };
  report();
  crowd = setInterval(report, 1000);
}

const phone = () => ({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, geolocation: here, permissions: ['geolocation'] });

async function picture(page, name) {
  if (!pictures) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

const slide = (page, id, value) => page.locator(`#${id}`).evaluate((slider, value) => {
  slider.value = value;
  slider.dispatchEvent(new Event('input', { bubbles: true }));
}, String(value));

test('a phone finds places, reads its receipt, and keeps the answer without a network', async () => {
  gather();
  const { page, wrong, close } = await open(chrome, address('jo'), phone());
  await page.locator('#category option[value=cafe]').waitFor({ state: 'attached' });
  assert.equal(await fragment(page), '', 'the token leaves the address');
  await page.selectOption('#category', 'cafe');
  await slide(page, 'k', 3);
  await slide(page, 'dt', 30);
  assert.match(await page.locator('label[for=k]').textContent(), /among 3 users/);
  await page.locator('#go').click();
  await page.locator('#places li').first().waitFor();
  const places = await page.locator('#places li').allTextContents();
  assert.ok(places.length > 0 && places.every((text) => /\D\d[\d.]* k?m$/.test(text)), `${places}`);
  assert.match(await page.locator('#receipt').textContent(), /hidden among at least 3 users, at least [123] of them asking. Kept secret: who asked what.*not about your position/);
  assert.deepEqual(await accessible(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the phone');
  await picture(page, 'app-answer');
  assert.deepEqual(wrong, []);

  // The first visit is enough: the worker keeps the files that the page names.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await page.context().setOffline(true);
  await page.reload();
  await page.locator('#places li').first().waitFor();
  assert.deepEqual(await page.locator('#places li').allTextContents(), places);
  await page.waitForFunction(() => /no connection.*the last answer/.test(document.querySelector('#status').textContent));
  await picture(page, 'app-offline');
  await close();
});

test('a phone that cannot be hidden is told so, and nothing is sent', async () => {
  clearInterval(crowd);
  const { page, wrong, close } = await open(chrome, address('flo'), phone());
  await page.locator('#category option[value=cafe]').waitFor({ state: 'attached' });
  await slide(page, 'k', 20);
  await slide(page, 'dt', 1);
  assert.match(await page.locator('label[for=dt]').textContent(), /up to 1 second$/);
  await page.locator('#go').click();
  await page.waitForFunction(() => /Not enough users.*Nothing was sent/.test(document.querySelector('#status').textContent));
  assert.equal(await page.locator('#found').isVisible(), false);
  assert.deepEqual(await accessible(page), []);
  await picture(page, 'app-not-hidden');
  assert.deepEqual(wrong, []);
  await close();
});

test('without a token the app asks for one, and a wrong one is told', async () => {
  const { page, close } = await open(chrome, `${url}/app`, { ...phone(), colorScheme: 'dark' });
  await page.locator('#token').waitFor();
  assert.deepEqual(await accessible(page), []);
  await picture(page, 'app-welcome');
  await page.fill('#token', 'mp_00ff');
  await page.locator('#connect button').click();
  await page.waitForFunction(() => /not valid any more/.test(document.querySelector('#status').textContent));
  await page.locator('#forget').click();
  await page.locator('#token').waitFor();
  await close();
});
