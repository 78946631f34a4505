// Starts a real gateway on a small city, with a key.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const binary = process.env.MESHCLOAK_BIN ?? join(root, 'target', 'debug', 'meshcloak');

/** Runs a gateway with further settings; resolves once it listens. */
export async function start(more = []) {
  const folder = mkdtempSync(join(tmpdir(), 'meshcloak-js-'));
  const keys = join(folder, 'keys.json');
  const key = execFileSync(binary, ['keys', 'add', 'app', '--keys', keys], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const settings = ['server.metrics=', 'server.page=', `accounts.keys=${keys}`, 'engine.tick=0.2', 'server.app=true', ...more].flatMap((text) => ['--set', text]);
  const child = spawn(binary, ['serve', '--map', 'city:500:7', '--listen', '127.0.0.1:0', ...settings], { stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  let text = '';
  const address = await new Promise((done, fail) => {
    const read = (chunk) => {
      text += chunk;
      const found = /listening on (\S+)/.exec(text);
      if (found) done(found[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => fail(new Error(`serve ended with ${code}: ${text}`)));
  });
  const url = `http://${address}`;
  const map = await (await fetch(`${url}/v1/map`)).json();
  const [west, south, east, north] = map.extent;
  const send = async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/people/${path}`, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json().catch(() => null);
  };
  /** Creates a user with k = 3, and returns a personal token. */
  const token = async (person) => {
    await send('PUT', `${person}/settings`, { k: 3, dt: 20 });
    return (await send('POST', `${person}/tokens`)).token;
  };
  return { url, key, token, middle: { lon: (west + east) / 2, lat: (south + north) / 2 }, stop: () => child.kill('SIGKILL') };
}

/** Finds a position on a street near the middle of the map: off the map the gateway refuses. */
export async function street(gateway, mesh, { NotHidden }) {
  const question = { find: 'nearest', count: 3 };
  for (let step = 0; step < 400; step++) {
    const at = { lon: gateway.middle.lon + step * 2e-5, lat: gateway.middle.lat + step * 1e-5 };
    try {
      await mesh.ask({ person: `scout${step}`, ...at, k: 2, dt: 0, dc: 100, question });
    } catch (error) {
      if (error instanceof NotHidden) return at;
      if (error.reason !== 'off-map') throw error;
    }
  }
  throw new Error('no street near the middle of the map');
}
