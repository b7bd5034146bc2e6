import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownPort } from '../../../../scripts/own-port.ts';
import { postgres } from '../../../../scripts/services/postgres.ts';
import { pgbouncer } from '../../../../scripts/services/tools.ts';
import { openRegistry } from '../open.ts';
import { OwnServer } from '../testing/servers.ts';
import { Opened } from '../testing/stage.ts';

const server = new OwnServer(postgres);
const opened = new Opened();
let port = 0;
beforeAll(async () => {
  port = await server.start();
});
afterEach(() => opened.close());
afterAll(() => server.remove());

const url = (schema: string, at = port) => `postgres://postgres@127.0.0.1:${at}/postgres?schema=${schema}`;
const open = async (schema: string, at = port) =>
  opened.add(await openRegistry(url(schema, at), { sessionTimeout: 20_000, connectTimeout: 5_000 }));
async function raw(): Promise<pg.Client> {
  const client = new pg.Client(postgres.url(port));
  await client.connect();
  opened.add({ close: () => client.end() });
  return client;
}

describe('the PostgreSQL registry', () => {
  it('fails only the refused one of many writes that share a statement', async () => {
    const registry = await open('grouped');
    await registry.create('/there', 'before');
    const names = Array.from({ length: 30 }, (_, i) => (i === 17 ? '/there' : `/entry-${i}`));
    const results = await Promise.allSettled(
      names.map((path, i) =>
        registry.transaction([
          { op: 'check', path: '/there', version: 0 },
          { op: 'create', path, value: `value ${i}` },
        ]),
      ),
    );
    for (const [i, result] of results.entries())
      expect(result).toMatchObject(
        i === 17
          ? { status: 'rejected', reason: { reason: 'exists', step: 1, path: '/there' } }
          : { status: 'fulfilled', value: [undefined, { path: `/entry-${i}`, value: `value ${i}` }] },
      );
    const entries = await registry.subtree('/');
    expect(entries.map(({ path, value }) => [path, value]).sort()).toEqual(
      names.map((path, i) => [path, i === 17 ? 'before' : `value ${i}`]).sort(),
    );
    const order = names.filter((path) => path !== '/there');
    expect(entries.sort((a, b) => a.created - b.created).map(({ path }) => path)).toEqual([
      '/there',
      ...order,
    ]);
  });

  it('makes no revision visible before an earlier one, so a watcher loses none', async () => {
    const watcher = await open('paused');
    const slow = await open('paused');
    const quick = await open('paused');
    const seen: string[] = [];
    await watcher.watch('/', 'subtree', ({ path }) => seen.push(path));
    // Takes its revision and stops before the commit.
    const paused = await raw();
    const create = JSON.stringify([{ op: 'create', path: '/seven', parent: '/' }]);
    await paused.query('BEGIN');
    await paused.query('SELECT paused.apply($1, $2, $3)', [slow.session.id, create, [Buffer.from('')]]);
    const later = quick.create('/eight', '');
    const waits = await raw();
    await expect
      .poll(async () => {
        const { rows } = await waits.query(`SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted`);
        return rows[0].waiting;
      })
      .toBeGreaterThan(0);
    expect([seen, await watcher.children('/')]).toEqual([[], []]);
    await paused.query('COMMIT');
    const eight = await later;
    await expect.poll(() => seen).toEqual(['/seven', '/eight']);
    expect((await watcher.get('/seven'))?.created).toBe(eight.created - 1);
  });

  it('finds what changed although its notification was lost', async () => {
    const watcher = opened.add(await openRegistry(url('deaf'), { sessionTimeout: 1_500 }));
    await watcher.create('/old', '');
    const seen: string[] = [];
    await watcher.watch('/', 'subtree', ({ type, path }) => seen.push(`${type} ${path}`));
    const silent = await raw();
    await silent.query(`UPDATE deaf.head SET revision = revision + 2;
      DELETE FROM deaf.entry WHERE path = '/old';
      INSERT INTO deaf.entry SELECT '/new', '/', '', 0, revision, revision FROM deaf.head`);
    await expect.poll(() => seen).toEqual(['deleted /old', 'created /new']);
  });

  it('tells the time of the server', async () => {
    const registry = await open('timed');
    expect(Math.abs(((await registry.serverTime()) as number) - Date.now())).toBeLessThan(60_000);
  });

  it('refuses a schema name that could hide a statement', async () => {
    await expect(openRegistry(url('x;drop'))).rejects.toThrow(/a-z, 0-9 and _/);
  });

  describe('behind PgBouncer', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orrery-pgbouncer-'));
    let bouncer: ChildProcess | undefined;
    afterEach(async () => {
      bouncer?.kill('SIGKILL');
      if (bouncer?.exitCode === null && bouncer.signalCode === null) await once(bouncer, 'exit');
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    async function start(mode: string): Promise<number> {
      const at = await ownPort();
      const config = join(folder, `${mode}.ini`);
      const lines = {
        listen_addr: '127.0.0.1',
        listen_port: at,
        auth_type: 'any',
        pool_mode: mode,
        unix_socket_dir: '',
      };
      const settings = Object.entries(lines).map(([name, value]) => `${name} = ${value}`);
      const database = `postgres = host=127.0.0.1 port=${port} dbname=postgres user=postgres`;
      writeFileSync(config, ['[databases]', database, '[pgbouncer]', ...settings, ''].join('\n'));
      chmodSync(folder, 0o755);
      const account = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
      bouncer = spawn(pgbouncer.find() as string, [...account, '-q', config], { stdio: 'ignore' });
      await expect
        .poll(
          () =>
            new Promise((resolve) => {
              const socket = connect(at, '127.0.0.1', () => {
                socket.destroy();
                resolve(true);
              });
              socket.on('error', () => resolve(false));
            }),
        )
        .toBe(true);
      return at;
    }

    it('refuses transaction mode in one line', async () => {
      const at = await start('transaction');
      await expect(open('pooled', at)).rejects.toThrow(
        /cannot be opened: the registry needs its own session.*connect to PostgreSQL directly, or set pool_mode = session$/,
      );
    });

    it('works in session mode', async () => {
      const registry = await open('sessions', await start('session'));
      expect((await registry.create('/a', 'x')).value).toBe('x');
    });
  });
});
