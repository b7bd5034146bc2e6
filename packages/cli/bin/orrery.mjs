#!/usr/bin/env node
// Plain syntax that an old Node can parse: only the message here can tell its user what is missing.
import { enableCompileCache } from './compile-cache.mjs';

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`orrery needs Node 24 or newer; this is ${process.version}`);
  process.exit(2);
}
enableCompileCache();
void import('../src/main.ts').then((cli) => cli.main(process.argv.slice(2)));
