/** A step of the build: beside every text file its brotli and gzip form, which the server then sends as they are. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller ones gain nothing. */
const LEAST = 1024;

const worthwhile = /\.(js|css|svg|json)$/;

/** Compresses what was built. */
export function compress(): Plugin {
  let folder = '';
  return {
    name: 'compress',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true });
      await Promise.all(files.filter((name) => worthwhile.test(name)).map((name) => compressFile(name)));
    },
  };

  async function compressFile(name: string): Promise<void> {
    const path = join(folder, name);
    const bytes = await readFile(path);
    if (bytes.length < LEAST) return;
    await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
    await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  }
}
