/** How the console is built: relative addresses, so that one build works under any base path. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compress } from './compress.ts';
import { firstPaint } from './first-paint.ts';

/** Few files: over HTTP/1.1 a browser asks for six at a time. What all pages need changes less often than the console. */
const groups = [
  { name: 'libraries', tags: ['$initial' as const], test: /node_modules|rolldown.runtime/, priority: 2 },
  { name: 'index', tags: ['$initial' as const], priority: 1 },
  { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 5_000 },
];
const chunkFileNames = ({ name }: { name: string }) => `assets/${name.split('~')[0]}-[hash].js`;

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), firstPaint(), compress()],
  build: {
    target: 'es2022',
    sourcemap: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { output: { codeSplitting: { groups }, chunkFileNames } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:7070' } },
});
