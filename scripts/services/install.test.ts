import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { install } from './install.ts';
import { curl, openssl } from './tools.ts';

/** The commands of the machine. */
const commands = mkdtempSync(join(tmpdir(), 'orrery-install-'));
beforeEach(() => {
  vi.stubEnv('PATH', commands);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => rmSync(commands, { recursive: true }));

function addCommand(name: string): void {
  writeFileSync(join(commands, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
}

it('says what to install by hand where there is no apt', async () => {
  await expect(install([curl, openssl])).rejects.toThrow(
    /^no apt-get here: install curl openssl by hand, so that the commands are on the search path/,
  );
});

it('prints the command to run where it lacks root', async () => {
  addCommand('apt-get');
  vi.spyOn(process, 'getuid').mockReturnValue(1_000);
  await expect(install([curl, openssl])).rejects.toThrow(
    'installing needs root; run: sudo apt-get install -y --no-install-recommends curl openssl',
  );
});

it('prints one line for each program that is there', async () => {
  addCommand('curl');
  addCommand('openssl');
  const print = vi.spyOn(console, 'log').mockReturnValue();
  await install([curl, openssl]);
  expect(print.mock.calls.flat()).toEqual([
    `curl: found, ${join(commands, 'curl')}`,
    `openssl: found, ${join(commands, 'openssl')}`,
  ]);
});
