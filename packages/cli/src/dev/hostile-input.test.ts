import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, stopService } from '../../../../scripts/services/lifecycle.ts';
import { postgres } from '../../../../scripts/services/postgres.ts';
import { ServerProcess } from './server-process.ts';

const MEGABYTE = 1024 * 1024;
const LOG_LIMIT = 64 * MEGABYTE;

/** Of util-linux: changes the limits of a process that runs. */
const limitTool = 'prlimit';

interface Problem {
  readonly status: number;
  readonly detail: string;
  readonly problems?: readonly { message: string; line?: number; column?: number }[];
}

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-hostile-'));
  server = await ServerProcess.start(join(folder, 'data'));
});
afterEach(async () => {
  // A machine that is busy with other tests may be told of for a moment.
  await expect.poll(() => server.get('/health')).toMatchObject({ status: 'ok' });
});
afterAll(async () => {
  await server?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function refusal(file: string | Uint8Array<ArrayBuffer>): Promise<Problem> {
  const answer = await fetch(`${server.url}/api/v1/workflows`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: file,
  });
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  return (await answer.json()) as Problem;
}

/** Publishes a workflow with one shell task and starts it; the run's id. */
async function start(at: ServerProcess, name: string, script: string): Promise<number> {
  const task = { name: 'only', type: 'shell', with: { script } };
  const published = await at.post('/workflows', JSON.stringify({ name, tasks: [task] }));
  expect(published.status).toBe(200);
  const started = await at.post('/runs', JSON.stringify({ workflow: name }));
  expect(started.status).toBe(202);
  return ((await started.json()) as { id: number }).id;
}

/** Looks until the state of the run is one of these; it. */
async function reach(at: ServerProcess, run: number, ...states: string[]): Promise<string> {
  for (;;) {
    const { state } = await at.get<{ state: string }>(`/runs/${run}`);
    if (states.includes(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const ended = ['success', 'failed', 'stopped', 'broken'];

interface LogPiece {
  readonly text: string;
  readonly size: number;
}

describe('a workflow file that cannot be accepted', () => {
  it.each([
    ['text that is not YAML', 'name: x\ntasks: [\n  - }\n', /./],
    ['an unknown key', 'name: x\ntaskz: []\n', /taskz/],
    [
      'a task that waits for itself through another',
      'name: x\ntasks:\n  - { name: hen, type: noop, needs: [egg] }\n  - { name: egg, type: noop, needs: [hen] }\n',
      /hen.*egg|egg.*hen/,
    ],
    [
      'a negative timeout',
      'name: x\ntasks:\n  - { name: a, type: noop, timeout: -5s }\n',
      /timeout|duration/,
    ],
    [
      'aliases that would grow beyond memory',
      `a: &a [x]\n${'bcdefghij'
        .split('')
        .map((key, k) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[k]}`)}]\n`)
        .join('')}`,
      /./,
    ],
    ['lists nested without end', `name: x\ntasks: ${'['.repeat(50_000)}`, /./],
  ])('is refused with line and column: %s', async (_, file, message) => {
    const { status, problems = [] } = await refusal(file);
    expect(status).toBe(422);
    expect(problems.map((problem) => problem.message).join('\n')).toMatch(message);
    for (const { line, column } of problems)
      expect([line, column]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(problems.length).toBeGreaterThan(0);
  });

  it('is refused with the task that has a type no plugin brings', async () => {
    const { status, problems } = await refusal('name: x\ntasks:\n  - { name: a, type: teleport }\n');
    expect(status).toBe(422);
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'unknown-type',
        path: expect.arrayContaining(['tasks', 0]),
        message: expect.stringContaining('teleport'),
      }),
    ]);
  });

  it('is refused where it is not text, empty, or larger than 10 MB', async () => {
    expect(await refusal(new Uint8Array([0xff, 0xfe, 0x00]))).toMatchObject({ status: 400 });
    expect(await refusal('')).toMatchObject({ status: 400 });
    expect(await announced(11 * MEGABYTE)).toMatchObject({
      status: 413,
      detail: expect.stringContaining('10 MB'),
    });
  });
});

/** The answer to a file of this size, given before any of it is sent. */
function announced(size: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/yaml', 'content-length': size };
    const call = request(`${server.url}/api/v1/workflows`, { method: 'POST', headers }, (answer) => {
      json(answer).then(resolve, reject);
    });
    call.on('error', reject);
    call.flushHeaders();
  });
}

describe('a task that does not behave', () => {
  it('may print 600 MB: the log is cut with a mark and the server does not grow with it', {
    timeout: 120_000,
  }, async () => {
    const pid = pidOf(join(folder, 'data'));
    const before = residentBytes(pid);
    const run = await start(
      server,
      'loud',
      'yes "a line that says nothing" | head -c 629145600; echo "the end"',
    );
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, residentBytes(pid));
    }, 20);
    expect(await reach(server, run, ...ended)).toBe('success');
    clearInterval(watch);
    // What is read and not yet collected is some tens of megabytes, more on a machine that has other work.
    expect(most - before).toBeLessThan(250 * MEGABYTE);
    const read = (offset: number) =>
      server.get<LogPiece>(`/attempts/${run}.only.1/log?offset=${offset}&limit=65536`);
    const { size } = await read(0);
    expect(size).toBeGreaterThanOrEqual(LOG_LIMIT);
    expect(size).toBeLessThan(LOG_LIMIT + MEGABYTE);
    expect((await read(LOG_LIMIT - 1_000)).text).toContain(
      `[orrery] the log has reached its limit of ${LOG_LIMIT} bytes`,
    );
    expect((await read(size - 10_000)).text).toContain('the end\n');
  });

  it('may ignore every wish to end: stopping the run kills it and what it started', async () => {
    const stubborn = `trap '' TERM INT HUP; (trap '' TERM; exec sleep 1000) & setsid sleep 1000 & while :; do sleep 1; done`;
    const run = await start(server, 'stubborn', stubborn);
    while (processes().length < 3) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await server.post(`/runs/${run}/stop`, '{}')).status).toBe(202);
    expect(await reach(server, run, ...ended)).toBe('stopped');
    expect(processes()).toEqual([]);
  });
});

describe('a logs folder that cannot be written', () => {
  it('makes tasks wait for a healthy worker, and they run when it can be written again', async () => {
    const data = join(folder, 'no-logs');
    mkdirSync(data);
    writeFileSync(join(data, 'logs'), '');
    const other = await ServerProcess.start(data);
    try {
      const run = await start(other, 'unheard', 'echo said; exit 3');
      await expect.poll(async () => JSON.stringify(await other.get('/nodes'))).toContain('unhealthy');
      rmSync(join(data, 'logs'));
      mkdirSync(join(data, 'logs'));
      expect(await reach(other, run, ...ended)).toBe('failed');
      expect(await other.get('/health')).toMatchObject({ status: 'ok' });
      expect(await other.end('SIGTERM')).toBe(0);
    } finally {
      await other.end('SIGKILL');
    }
  });
});

describe('a disk that takes nothing more', () => {
  it('is told by health, and the run goes on by itself when there is room again', {
    timeout: 120_000,
  }, async () => {
    const data = join(folder, 'full');
    const other = await ServerProcess.start(data);
    try {
      const run = await start(other, 'patient', 'echo begun; sleep 2; echo done');
      await said(other, `${run}.only.1`, 'begun');
      limitFiles(pidOf(data), '0');
      await health(other, 503);
      const refused = await other.post('/runs', JSON.stringify({ workflow: 'patient' }));
      expect(refused.status).toBe(503);
      limitFiles(pidOf(data), 'unlimited');
      await health(other, 200);
      expect(await reach(other, run, ...ended)).toBe('success');
      expect(await reach(other, await start(other, 'after', 'true'), ...ended)).toBe('success');
    } finally {
      await other.end('SIGKILL');
    }
  });
});

describe('a PostgreSQL that goes away', () => {
  it('is told by health, and runs go on by themselves when it is back', { timeout: 180_000 }, async () => {
    // Of its own, so that it can be stopped; readable for the account that PostgreSQL runs as.
    chmodSync(folder, 0o755);
    const services = join(folder, 'services');
    const { url } = await startService(postgres, services, true);
    let other: ServerProcess | undefined;
    try {
      other = await ServerProcess.start(join(folder, 'cluster'), '--database', url);
      const run = await start(other, 'patient', 'sleep 3; echo done');
      await reach(other, run, 'running');
      await stopService(postgres, services);
      await health(other, 503);
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      expect((await startService(postgres, services, true)).url).toBe(url);
      await health(other, 200);
      expect(await reach(other, run, ...ended)).toBe('success');
      expect(await reach(other, await start(other, 'after', 'true'), ...ended)).toBe('success');
    } finally {
      await other?.end('SIGKILL');
      await stopService(postgres, services);
    }
  });
});

/** Waits until an attempt has printed this: before that its worker still writes files for it. */
async function said(at: ServerProcess, attempt: string, words: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${at.url}/api/v1/attempts/${attempt}/log`);
    if (answer.ok && ((await answer.json()) as LogPiece).text.includes(words)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until health answers with this status. */
async function health(at: ServerProcess, status: number): Promise<void> {
  while ((await fetch(`${at.url}/api/v1/health`)).status !== status) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The size that files may grow to by this process's writes; 0 is a full disk. */
function limitFiles(pid: number, size: string): void {
  execFileSync(limitTool, [`--pid=${pid}`, `--fsize=${size}:unlimited`]);
}

/** The process of the server with this data folder. */
function pidOf(data: string): number {
  const found = readdirSync('/proc').find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0dev\0--port\x000\0--data\0${data}\0`);
    } catch {
      return false;
    }
  });
  if (!found) throw new Error(`no server has the data folder ${data}`);
  return Number(found);
}

function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** Processes of tasks of this test that are there now. */
function processes(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`ORRERY_WORK_DIR=${join(folder, 'data')}`);
    } catch {
      return false;
    }
  });
}
