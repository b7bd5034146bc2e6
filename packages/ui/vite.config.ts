/** How the console is built: relative addresses, so that one build works under any base path. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compress } from './compress.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), compress()],
  build: {
    target: 'es2022',
    sourcemap: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:7070' } },
});
