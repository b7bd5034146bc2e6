import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const file = new URL('./open-log.ts', import.meta.url).href;

/** What a process wrote that opened a log so and logged as `code` says. */
function written(options: object, code: string): { out: string; err: string[] } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { announcer, openLog } from '${file}';
      const options = ${JSON.stringify(options)};
      const log = await openLog(options);
      const announce = announcer(options.format, log);
      ${code}`,
    ],
    { encoding: 'utf8' },
  );
  return { out: stdout, err: stderr.split('\n').filter(Boolean) };
}

const lines = `
  log('debug', 'asked', { request: 'r1' });
  log('warn', 'slow', { run: 12, node: 'm1' });
  log('error', 'broke', { err: new TypeError('no such thing') });
  announce('ready');`;

describe('the log of a process', () => {
  it('is text for people, with the time, from a level on', () => {
    const { out, err } = written({ format: 'text', level: 'warn', dated: true }, lines);
    expect(out).toBe('ready\n');
    expect(err[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z warn: slow$/);
    expect(err[1]).toMatch(/Z error: broke$/);
    expect(err[2]).toBe('TypeError: no such thing');
  });

  it('leaves the time out where it is looked at as it comes', () => {
    const { err } = written({ format: 'text', level: 'info', dated: false }, `log('info', 'joined');`);
    expect(err).toEqual(['info: joined']);
  });

  it('is JSON for machines, one object a line with fields, and all of it in one stream', () => {
    const { out, err } = written({ format: 'json', level: 'debug', dated: true }, lines);
    expect(out).toBe('');
    expect(err.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'debug', request: 'r1', msg: 'asked' }),
      expect.objectContaining({ level: 'warn', run: 12, node: 'm1', msg: 'slow', pid: expect.any(Number) }),
      expect.objectContaining({
        level: 'error',
        msg: 'broke',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        err: expect.objectContaining({
          type: 'TypeError',
          message: 'no such thing',
          stack: expect.any(String),
        }),
      }),
      expect.objectContaining({ level: 'info', msg: 'ready' }),
    ]);
  });

  it('also writes the last line of a process that ends at once', () => {
    const { err } = written(
      { format: 'json', level: 'info', dated: true },
      `log('error', 'last'); process.exit(1);`,
    );
    expect(err.map((line) => JSON.parse(line).msg)).toEqual(['last']);
  });
});
