/** Data folders as earlier versions left them, killed while a run was open: each is opened, and worked on. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownPort } from '../../../../scripts/own-port.ts';
import { orrery } from '../run-binary.ts';
import { NodeProcess } from '../server/node-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-old-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

it.each(['schema-1', 'schema-1-tags', 'schema-2', 'schema-3'])(
  'a data folder of %s is worked on',
  { timeout: 120_000 },
  async (name) => {
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    const old = new DatabaseSync(join(data, 'orrery.db'));
    old.exec(readFileSync(join(import.meta.dirname, 'old-data', `${name}.sql`), 'utf8'));
    old.close();
    const port = String(await ownPort());
    const url = ['--url', `http://127.0.0.1:${port}`];
    const server = await NodeProcess.start(
      '--role',
      'master,worker,api',
      '--name',
      'now',
      '--data',
      data,
      '--no-token',
      '--port',
      port,
    );
    try {
      const runs = JSON.parse((await orrery(['runs', 'list', '--json', ...url])).out).runs as {
        id: number;
        state: string;
      }[];
      expect(runs.map(({ id, state }) => `${id} ${state}`)).toEqual(
        expect.arrayContaining(['5 success', '6 failed', expect.stringMatching(/^7 /)]),
      );
      expect((await orrery(['run', 'old', '--wait', ...url])).code).toBe(0);
      expect((await orrery(['runs', 'recover', '6', ...url])).code).toBe(0);
      expect((await orrery(['runs', 'stop', '7', ...url])).code).toBe(0);
      expect((await orrery(['workflows', 'list', ...url])).out).toMatch(/old/);
    } finally {
      await server.end('SIGTERM');
    }
    expect(await orrery(['db', 'doctor', '--data', data])).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing is wrong'),
    });
  },
);
