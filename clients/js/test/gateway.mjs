// Starts a real gateway on a small city, with a key.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const binary = process.env.MESHCLOAK_BIN ?? join(root, 'target', 'debug', 'meshcloak');

/** Runs a gateway; resolves once it listens. */
export async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'meshcloak-js-'));
  const keys = join(folder, 'keys.json');
  const key = execFileSync(binary, ['keys', 'add', 'app', '--keys', keys], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const settings = ['server.metrics=', 'server.page=', `accounts.keys=${keys}`, 'engine.tick=0.2'].flatMap((text) => ['--set', text]);
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
  return { url, key, middle: { lon: (west + east) / 2, lat: (south + north) / 2 }, stop: () => child.kill('SIGKILL') };
}
