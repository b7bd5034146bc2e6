import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import about from '../package.json' with { type: 'json' };
import { orrery } from './run-binary.ts';

describe('the orrery command', () => {
  it('prints its version', async () => {
    expect(await orrery(['--version'])).toEqual({ code: 0, out: `${about.version}\n`, err: '' });
  });

  it('prints help on standard output and succeeds when asked for it', async () => {
    const { code, out, err } = await orrery(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Usage: orrery');
    expect((await orrery(['preview', 'cron', '--help'])).out).toContain('--tz <zone>');
  });

  it('prints help on standard error and ends with 2 when no command is given', async () => {
    const { code, out, err } = await orrery([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: orrery');
    expect((await orrery(['preview'])).code).toBe(2);
  });

  it.each([
    [['prewiew'], "orrery: unknown command 'prewiew' (did you mean preview?)\n"],
    [['preview', 'corn'], "orrery: unknown command 'corn' (did you mean cron?)\n"],
    [['preview', 'plan', '--node', 'a'], "orrery: unknown option '--node' (did you mean --nodes?)\n"],
    [['preview', 'plan', '--total'], "orrery: option '--total <number>' argument missing\n"],
    [['preview', 'plan', 'x'], "orrery: too many arguments for 'plan'. Expected 0 arguments but got 1: x.\n"],
  ])('refuses %j in one line', async (args, err) => {
    expect(await orrery(args)).toEqual({ code: 2, out: '', err });
  });

  it('says which Node it needs when run by an older one', () => {
    const binary = join(import.meta.dirname, '..', 'bin', 'orrery.mjs');
    const old =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });';
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(old)}`, binary, '--version'],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect(stderr).toBe(`orrery needs Node 24 or newer; this is ${process.version}\n`);
    expect(status).toBe(2);
  });
});
