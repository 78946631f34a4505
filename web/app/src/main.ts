// The app: connects with a token, asks for places near the phone, shows the answer and its receipt.

import { me, nearest, NoAnswer, type Me } from './me';
import * as store from './store';
import { age, distance, receipt, seconds, title } from './words';

function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found as T;
}

const welcome = element('welcome');
const ask = element<HTMLFormElement>('ask');
const category = element<HTMLSelectElement>('category');
const k = element<HTMLInputElement>('k');
const dt = element<HTMLInputElement>('dt');
const go = element<HTMLButtonElement>('go');

function say(text: string, isProblem = false): void {
  const status = element('status');
  status.textContent = text;
  status.classList.toggle('problem', isProblem);
}

/** Takes the token out of the address, where the QR code has put it. */
function tokenFromAddress(): string | null {
  const found = /^#(mp_[0-9a-f]+)$/.exec(location.hash);
  if (!found?.[1]) return null;
  history.replaceState(null, '', location.pathname);
  return found[1];
}

function showAnswer(last: store.LastAnswer): void {
  const items = last.places.map((place) => {
    const item = document.createElement('li');
    const name = document.createElement('span');
    name.className = 'name';
    name.textContent = place.name || title(place.category);
    // The category is known to a user who has chosen one.
    if (!last.category) {
      const what = document.createElement('span');
      what.className = 'what';
      what.textContent = title(place.category);
      name.append(what);
    }
    const far = document.createElement('span');
    far.className = 'far';
    far.textContent = distance(place.metres);
    item.append(name, far);
    return item;
  });
  element('places').replaceChildren(...items);
  element('found-title').textContent = items.length === 0 ? 'No place found' : `Places, ${age(Date.now() - last.at)}`;
  element('receipt').textContent = receipt(last.receipt);
  element('found').hidden = false;
}

function showChoices(settings: Me | null): void {
  const kept = store.choices();
  const names = settings?.categories ?? (kept?.category ? [kept.category] : []);
  const option = (value: string, text: string): HTMLOptionElement => new Option(text, value);
  category.replaceChildren(option('', 'Anything'), ...names.map((name) => option(name, title(name))));
  category.value = kept?.category ?? '';
  // A category that the gateway has no more.
  if (category.selectedIndex < 0) category.value = '';
  if (settings) {
    k.max = String(Math.min(settings.k_max, 50));
    dt.max = String(Math.max(1, Math.min(settings.dt_max, 120)));
  }
  k.value = String(kept?.k ?? settings?.k ?? 3);
  dt.value = String(kept?.dt ?? settings?.dt ?? 20);
  showNumbers();
}

function showNumbers(): void {
  element('k-value').textContent = k.value;
  element('dt-value').textContent = seconds(Number(dt.value));
}

function position(): Promise<{ lon: number; lat: number }> {
  return new Promise((done, fail) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => done({ lon: coords.longitude, lat: coords.latitude }),
      (error) => fail(new NoAnswer(error.code === error.PERMISSION_DENIED ? 'The app may not use your position.' : 'Your position is not known.')),
      { enableHighAccuracy: true, timeout: 15_000, maximumAge: 10_000 },
    );
  });
}

async function find(token: string): Promise<void> {
  const chosen = { category: category.value, k: Number(k.value), dt: Number(dt.value) };
  store.keepChoices(chosen);
  go.disabled = true;
  say('Finding your position…');
  try {
    const at = await position();
    say(`Waiting for ${chosen.k - 1} other users near you…`);
    const result = await nearest(token, at, chosen.k, chosen.dt, chosen.category);
    if (!result.receipt) throw new NoAnswer('The gateway sent no receipt.');
    const last = { at: Date.now(), category: chosen.category, places: result.answer ?? [], receipt: result.receipt };
    store.keepAnswer(last);
    showAnswer(last);
    say('');
  } catch (error) {
    problem(error);
  } finally {
    go.disabled = false;
  }
}

function problem(error: unknown): void {
  if (!(error instanceof NoAnswer)) throw error;
  const last = store.lastAnswer();
  if (last) showAnswer(last);
  const sentence = error.isDenied ? 'The token is not valid any more. Disconnect, and scan a new code.' : error.message;
  say(last ? `${sentence} Below is the last answer.` : sentence, true);
}

async function open(token: string): Promise<void> {
  welcome.hidden = true;
  ask.hidden = false;
  element('forget').hidden = false;
  showChoices(null);
  const last = store.lastAnswer();
  if (last) showAnswer(last);
  try {
    showChoices(await me(token));
  } catch (error) {
    problem(error);
  }
}

function begin(): void {
  const fresh = tokenFromAddress();
  if (fresh) {
    store.forgetAll();
    store.keepToken(fresh);
  }
  const token = store.token();
  if (token) void open(token);
  else welcome.hidden = false;
}

element('connect').addEventListener('submit', (event) => {
  event.preventDefault();
  store.keepToken(element<HTMLInputElement>('token').value.trim());
  begin();
});
ask.addEventListener('submit', (event) => {
  event.preventDefault();
  const token = store.token();
  if (token) void find(token);
});
ask.addEventListener('input', showNumbers);
element('forget').addEventListener('click', () => {
  store.forgetAll();
  location.reload();
});
addEventListener('hashchange', begin);
begin();

if ('serviceWorker' in navigator) void navigator.serviceWorker.register('./sw.js');
