import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(line: string, more: { argument?: string; signal?: AbortSignal } = {}) {
  const lines: string[] = [];
  const ended = runCommand({
    line,
    argument: more.argument ?? '{}',
    environment: { ORRERY_SHARD: '3' },
    signal: more.signal ?? new AbortController().signal,
    onLine: (text) => void lines.push(text),
  });
  return { lines, ended };
}

it('runs a command line with its context, and answers its exit code', async () => {
  const { lines, ended } = run('printf "%s %s\\n" "$ORRERY_SHARD"', { argument: '{"shard":3}' });
  expect(await ended).toBe(0);
  expect(lines).toEqual(['3 {"shard":3}']);
  expect(await run('echo out; echo err >&2; exit 7; :').ended).toBe(7);
  expect(await run('kill -KILL $$; :').ended).toBe('SIGKILL');
  expect(await run('no-such-command-here').ended).toBe(127);
});

it('never runs what is in its argument', async () => {
  const file = join(folder, 'made');
  const { lines, ended } = run('echo', { argument: `$(touch ${file}) \`touch ${file}\`; touch ${file} "'` });
  expect(await ended).toBe(0);
  expect(lines[0]).toContain('$(touch');
  expect(() => readFileSync(file)).toThrow('ENOENT');
});

it('ends the command and all it started when it is aborted', async () => {
  const abort = new AbortController();
  const { lines, ended } = run('sleep 600 & echo $!; wait; :', { signal: abort.signal });
  await expect.poll(() => lines.length).toBe(1);
  abort.abort(new Error('stop'));
  expect(await ended).toBe('SIGTERM');
  const child = Number(lines[0]);
  await expect.poll(() => isRunning(child)).toBe(false);
  await expect(run('echo', { signal: abort.signal }).ended).rejects.toThrow('stop');
});

/** A process that ended stays a zombie until somebody asks for its exit code. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
