import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { orrery } from '../run-binary.ts';
import { ServerProcess } from './server-process.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-dev-'));
  const sample = join(root, 'examples', 'hello.yaml');
  server = await ServerProcess.start(join(folder, 'data'), '--code', root, '--sample', sample);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('orrery dev', () => {
  it('runs the sample to success', async () => {
    let state = '';
    while (state !== 'success' && state !== 'failed') {
      const { runs } = await server.get<{ runs: { state: string }[] }>('/runs');
      state = runs[0]?.state ?? '';
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(state).toBe('success');
  });

  it('applies, runs and waits by command, with exit codes that scripts can use', async () => {
    const url = ['--url', server.url];
    const applied = await orrery(['apply', '-f', join(root, 'examples', 'clean-up.yaml'), ...url]);
    expect(applied).toMatchObject({ code: 0, err: '' });
    const good = await orrery(['run', 'hello', '--param', 'name=Ada', '--wait', '--json', ...url]);
    expect(good.code).toBe(0);
    expect(JSON.parse(good.out)).toMatchObject({ state: 'success' });
    const bad = await orrery(['run', 'clean-up', '--wait', '--json', ...url]);
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({ state: 'failed' });
    const { id } = JSON.parse(good.out) as { id: number };
    const log = await orrery(['logs', `${id}.greet`, ...url]);
    expect(log.out).toContain('hello, Ada! Your name has 3 letters.');
  });

  it('wants the token that it was given, by an option or ORRERY_TOKEN', async () => {
    for (const [args, variable] of [
      [['--token', 'hush'], ''],
      [[], 'hush'],
    ] as const) {
      vi.stubEnv('ORRERY_TOKEN', variable);
      const sample = join(root, 'examples', 'hello.yaml');
      const closed = await ServerProcess.start(join(folder, 'closed'), ...args, '--sample', sample);
      vi.unstubAllEnvs();
      const list = (...more: string[]) => orrery(['runs', 'list', '--url', closed.url, ...more]);
      expect((await list()).err).toContain('give one with --token or ORRERY_TOKEN');
      expect(await list('--token', 'hush')).toMatchObject({ code: 0, err: '' });
      await closed.end('SIGTERM');
    }
  });

  it.each([
    [['--data', 'FILE'], '--data: FILE is a file or lies below one; name a folder'],
    [['--data', 'FILE/below'], '--data: FILE/below is a file or lies below one; name a folder'],
    [['--code', 'FILE/no'], '--code: there is no folder FILE/no'],
    [['--secrets', 'NONE'], '--secrets: there is no folder NONE'],
    [['--secrets', 'FILE'], '--secrets: FILE is not a folder'],
  ])('says in one line what is wrong with %j', async (args, said) => {
    const at = (text: string) =>
      text.replaceAll('FILE', join(folder, 'file')).replaceAll('NONE', join(folder, 'none'));
    writeFileSync(join(folder, 'file'), '');
    const where = ['--port', '0', ...(args[0] === '--data' ? [] : ['--data', join(folder, 'wrong')])];
    const ended = await orrery(['dev', ...where, ...args.map(at)]);
    expect(ended).toEqual({ code: 2, out: '', err: `orrery: ${at(said)}\n` });
  });

  it('refuses a second process on the same data', async () => {
    const second = await orrery(['dev', '--port', '0', '--data', join(folder, 'data')]);
    expect(second.code).not.toBe(0);
    expect(second.err).toContain('another process is using');
    expect(second.err).not.toContain(' at ');
  });

  it('ends when it is told to', async () => {
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it('keeps what was compiled of it, also when it is killed', async () => {
    vi.stubEnv('NODE_COMPILE_CACHE', join(folder, 'compiled'));
    const killed = await ServerProcess.start(join(folder, 'other'));
    // It is kept once it is ready, before anything is answered.
    await killed.get('/runs');
    await killed.end('SIGKILL');
    expect(globSync('**/*', { cwd: join(folder, 'compiled') }).length).toBeGreaterThan(100);
  });
});
