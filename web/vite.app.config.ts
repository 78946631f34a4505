import { defineConfig } from 'vite';

// The app for phones, `/app` of the gateway. Built after the page, into a folder beside it.
export default defineConfig({
  root: 'app',
  base: './',
  build: { outDir: '../dist/app', emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
