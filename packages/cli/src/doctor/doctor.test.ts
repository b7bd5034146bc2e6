import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServerProcess } from '../dev/server-process.ts';
import { orrery } from '../run-binary.ts';
import { checkNode } from './checks.ts';
import { settingsOf } from './settings.ts';

interface Answer {
  readonly settings: { name: string; value: unknown; source: string }[];
  readonly checks: { name: string; ok: boolean; text: string }[];
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-doctor-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function ask(...args: string[]): Promise<Answer & { code: number | null }> {
  const { code, out } = await orrery(['doctor', '--json', ...args]);
  return { code, ...(JSON.parse(out) as Answer) };
}

const finding = ({ checks }: Answer, name: string) => checks.find((check) => check.name === name);

describe('orrery doctor', () => {
  it('finds nothing wrong where a server runs, and shows no token', async () => {
    const data = join(folder, 'data');
    const server = await ServerProcess.start(data, '--slots', '7');
    try {
      // The worker makes the folder of its logs a moment after the start.
      const found = () => readdirSync(data).filter((name) => name !== 'logs');
      const before = found();
      const url = ['--url', server.url, '--data', data];
      vi.stubEnv('NODE_COMPILE_CACHE', join(folder, 'compiled'));
      const { code, out } = await orrery(['doctor', '--token', 'hush', ...url]);
      expect(code).toBe(0);
      expect(out).toContain(`ok    server: Orrery `);
      expect(out).toContain(`ok    compile cache: ${join(folder, 'compiled')}\n`);
      expect(out).toMatch(
        /^ok {4}connections: all kinds but .*oracle \(npm install oracledb\), .*, in \/.+$/m,
      );
      expect(out).toContain('ok    roles: alive: master 1, worker 1, api 1');
      expect(out).toMatch(/^token +set +option$/m);
      expect(out).toMatch(/^server\.role +dev +default$/m);
      expect(out).toMatch(/^server\.slots +7 +option$/m);
      expect(out).toMatch(/^server\.token +none +default$/m);
      expect(out).toMatch(new RegExp(`^server\\.data +${data} +option$`, 'm'));
      expect(out).toMatch(/^\S+\.sessionTimeout +6000 +in force$/m);
      expect(out).toMatch(/^\S+\.room +2000 +in force$/m);
      expect(out).toContain('ok    masters: session timeout and lease are the same');
      expect(out).not.toContain('hush');
      expect(found()).toEqual(before);
    } finally {
      await server.end('SIGTERM');
    }
  });

  it('ends with 1 and says what to do when no server answers', async () => {
    vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1');
    const answer = await ask('--url', 'http://127.0.0.1:1', '--data', join(folder, 'not', 'yet'));
    expect(answer.code).toBe(1);
    expect(finding(answer, 'server')).toMatchObject({
      ok: false,
      text: expect.stringContaining('orrery dev'),
    });
    expect(finding(answer, 'roles')).toBeUndefined();
    expect(finding(answer, 'compile cache')?.text).toMatch(/^off: /);
    expect(finding(answer, 'data folder')).toMatchObject({ ok: true });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('lists the references that a binding to projects has ended', async () => {
    const server = await ServerProcess.start(join(folder, 'data'));
    try {
      const url = ['--url', server.url];
      const file = join(folder, 'w.yaml');
      writeFileSync(file, '{project: c, name: w, tasks: [{name: t, type: noop, workerGroup: gpu}]}');
      expect((await orrery(['apply', '-f', file, ...url])).code).toBe(0);
      expect(finding(await ask(...url), 'worker groups and environments')).toMatchObject({ ok: true });
      expect((await orrery(['worker-groups', 'set', 'gpu', '--projects', 'a', ...url])).code).toBe(0);
      expect(finding(await ask(...url), 'worker groups and environments')).toEqual({
        name: 'worker groups and environments',
        ok: false,
        text: expect.stringMatching(/: c\/w -> worker group gpu$/),
      });
    } finally {
      await server.end('SIGTERM');
    }
  });

  it('tells a server that is up from one that has lost its store', async () => {
    const away = createServer((_, answer) => {
      answer.writeHead(503, { 'content-type': 'application/problem+json' });
      answer.end(JSON.stringify({ status: 503, detail: 'the database does not answer', requestId: 'r1' }));
    });
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
    const { port } = away.address() as AddressInfo;
    const answer = await ask('--url', `http://127.0.0.1:${port}`);
    away.close();
    expect(finding(answer, 'server')?.text).toContain('the database does not answer');
  });

  it('says which role is missing where a server answers but nothing can run', async () => {
    const alone = createServer((request, answer) => {
      answer.setHeader('content-type', 'application/json');
      const health = { status: 'ok', version: '1', since: new Date(0).toISOString(), store: 'postgres' };
      answer.end(JSON.stringify(request.url?.endsWith('/nodes') ? { masters: [], workers: [] } : health));
    });
    await new Promise<void>((resolve) => alone.listen(0, '127.0.0.1', resolve));
    const { port } = alone.address() as AddressInfo;
    const answer = await ask('--url', `http://127.0.0.1:${port}`);
    alone.close();
    expect(answer.code).toBe(1);
    expect(finding(answer, 'roles')).toMatchObject({
      ok: false,
      text: expect.stringContaining('no master is alive'),
    });
  });

  it('refuses a data folder that is a file or lies below one', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const data of [file, join(file, 'below')]) {
      expect(finding(await ask('--data', data), 'data folder')).toMatchObject({
        ok: false,
        text: expect.stringContaining('--data'),
      });
    }
  });

  it('says how to close a folder of data or secrets that others can read', async () => {
    const [data, secrets] = ['data', 'secrets'].map((name) => join(folder, name));
    const look = async (mode: number) => {
      for (const each of [data, secrets]) chmodSync(each, mode);
      return ask('--data', data, '--secrets', secrets, '--url', 'http://127.0.0.1:1');
    };
    for (const each of [data, secrets]) mkdirSync(each);
    const open = await look(0o750);
    expect(finding(open, 'data folder')).toMatchObject({
      ok: false,
      text: expect.stringContaining(`chmod 700 ${data}`),
    });
    expect(finding(open, 'secrets')).toMatchObject({
      ok: false,
      text: expect.stringContaining(`chmod 700 ${secrets}`),
    });
    writeFileSync(join(data, 'theirs'), '');
    expect(finding(await look(0o755), 'data folder')?.text).not.toContain('chmod');
    const closed = await look(0o700);
    expect(finding(closed, 'data folder')).toMatchObject({ ok: true });
    expect(finding(closed, 'secrets')).toMatchObject({ ok: true });
  });

  it('knows where a value comes from: an option, then the environment, then the default', () => {
    const environment = { ORRERY_URL: 'http://one', ORRERY_TOKEN: 'hush' };
    const of = (name: string, ...args: Parameters<typeof settingsOf>) =>
      settingsOf(...args).find((setting) => setting.name === name);
    expect(of('url', { url: 'http://two' }, environment)).toMatchObject({
      value: 'http://two',
      source: 'option',
    });
    expect(of('url', {}, environment)).toMatchObject({ value: 'http://one', source: 'ORRERY_URL' });
    expect(of('url', {}, {})).toMatchObject({ source: 'default' });
    expect(of('token', {}, environment)).toEqual({ name: 'token', value: 'set', source: 'ORRERY_TOKEN' });
  });

  it('wants Node 24', () => {
    expect(checkNode('v24.0.0')).toMatchObject({ ok: true });
    expect(checkNode('v22.9.0')).toMatchObject({ ok: false, text: expect.stringContaining('Node 24') });
  });
});
