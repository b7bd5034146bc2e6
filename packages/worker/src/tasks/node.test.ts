import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Assignment } from '@orrery/wire/frames';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { own, start } from '../testing/test-worker.ts';

describe('a node task', () => {
  const codeFolder = temporaryFolder();
  writeFileSync(
    join(codeFolder, 'tasks.ts'),
    `export default async ({ args, params, attempt, shard, output }: any) => {
       console.log('args', JSON.stringify(args), params.day, attempt.number, shard?.index);
       output('sum', args.a + args.b);
       setInterval(() => {}, 1000);
     };
     export function broken() { throw new Error('it broke'); }
     export function hopeless() { throw Object.assign(new Error('no use'), { fatal: true }); }
     export async function patient({ signal }: any) {
       console.log('waiting');
       const timer = setInterval(() => {}, 1000);
       await new Promise((resolve) => signal.addEventListener('abort', resolve));
       console.log('aborted');
     }
     export async function stuck() { await new Promise(() => {}); }`,
  );
  symlinkSync('/etc/hostname', join(codeFolder, 'link.ts'));
  const node = (settings: object, changes: Partial<Assignment> = {}) => ({
    type: 'node',
    with: settings,
    ...changes,
  });

  it('calls an exported function of the code folder and records the hash of its module', async () => {
    const { run } = await start({ codeFolder });
    const { outcome, log } = await run(
      node({ module: 'tasks.ts', args: { a: 1, b: 2 } }, { params: { day: 'mon' } }),
    );
    expect(outcome).toMatchObject({ state: 'success', outputs: { sum: '3' } });
    expect(own(log)).toEqual(['args {"a":1,"b":2} mon 1 undefined']);
    expect(log).toMatch(/\[orrery\] module tasks\.ts, sha256 [0-9a-f]{64}\n/);
  });

  it('fails with what the function throws', async () => {
    const { run } = await start({ codeFolder });
    const broken = await run(node({ module: './tasks.ts', export: 'broken' }));
    expect(broken.outcome).toMatchObject({ state: 'failed', error: 'it broke', fatal: undefined });
    expect(broken.logTail).toMatch(/at broken/);
    const hopeless = await run(node({ module: 'tasks.ts', export: 'hopeless' }));
    expect(hopeless.outcome).toMatchObject({ error: 'no use', fatal: true });
    const stuck = await run(node({ module: 'tasks.ts', export: 'stuck' }));
    expect(stuck.outcome.error).toMatch(/waits for something that nothing is left to bring about/);
    const missing = await run(node({ module: 'tasks.ts', export: 'none' }));
    expect(missing.outcome).toMatchObject({ error: 'the module exports no function "none"', fatal: true });
  });

  it('hears by its signal that it is to end', async () => {
    const { killAt } = await start({ codeFolder, killGrace: 30_000 });
    const { outcome, log } = await killAt('waiting', node({ module: 'tasks.ts', export: 'patient' }));
    expect(outcome.state).toBe('killed');
    expect(own(log)).toEqual(['waiting', 'aborted']);
  });

  it('finds modules in the code folder only, and takes code as text in development only', async () => {
    const { run } = await start({ codeFolder });
    const refused = [
      [{ module: 'none.ts' }, /does not exist in the worker's code folder/],
      [{ module: '../x.ts' }, /lies outside of the worker's code folder/],
      [{ module: 'link.ts' }, /lies outside of the worker's code folder/],
      [{ code: '() => {}' }, /development mode only/],
      [{}, /give one of "module" and "code"/],
    ] as const;
    for (const [settings, message] of refused) {
      const { outcome } = await run(node(settings));
      expect(outcome).toMatchObject({ state: 'failed', fatal: true, error: expect.stringMatching(message) });
    }
    const dev = await start({ codeFolder, dev: true });
    const { outcome } = await dev.run(
      node({ code: '({ args, output }: any) => output("x", args)', args: [1] }),
    );
    expect(outcome.outputs).toEqual({ x: '[1]' });
  });
});
