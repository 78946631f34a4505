import { defineConfig } from 'vite';

const gateway = process.env['GATEWAY'] ?? 'http://127.0.0.1:8080';
const routes = ['/v1', '/map', '/demo', '/page', '/ops', '/report'];

export default defineConfig({
  base: './',
  build: { outDir: 'dist', target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1500, modulePreload: { polyfill: false } },
  worker: { format: 'es' },
  server: { proxy: Object.fromEntries(routes.map((route) => [route, gateway])) },
});
