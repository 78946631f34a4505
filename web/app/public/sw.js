// Keeps the page and the files that it names for use without a network. Requests of the API are never
// kept.

const CACHE = 'nearby';

/** Keeps a page and the files that it names, and removes those of earlier versions. */
async function keep(page) {
  const cache = await caches.open(CACHE);
  const text = await page.clone().text();
  await cache.put('./', page);
  const named = [...text.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map(([, name]) => new URL(name, self.registration.scope).href);
  const kept = (await cache.keys()).map(({ url }) => url);
  await Promise.all(named.filter((url) => !kept.includes(url)).map((url) => cache.add(url)));
  const needed = [self.registration.scope, ...named];
  await Promise.all(kept.filter((url) => !needed.includes(url)).map((url) => cache.delete(url)));
}

/** Loads the page from the network, or what was kept of it. */
async function load(event) {
  try {
    const page = await fetch(event.request);
    if (page.ok) event.waitUntil(keep(page.clone()));
    return page;
  } catch {
    return (await caches.match('./')) ?? Response.error();
  }
}

self.addEventListener('install', (event) => event.waitUntil(fetch('./').then(keep).then(() => self.skipWaiting())));

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(self.registration.scope)) return;
  if (request.mode === 'navigate') event.respondWith(load(event));
  else event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
});
