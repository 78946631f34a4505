// Keeps the files of the app for use without a network. Requests of the API are never kept.

const CACHE = 'nearby';

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(['./'])).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const isFile = request.method === 'GET' && request.url.startsWith(self.registration.scope);
  if (!isFile) return;
  event.respondWith(
    fetch(request)
      .then(async (response) => {
        if (response.ok) (await caches.open(CACHE)).put(request, response.clone());
        return response;
      })
      .catch(async () => (await caches.match(request, { ignoreSearch: true })) ?? Response.error()),
  );
});
