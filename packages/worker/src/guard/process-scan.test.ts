import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const mark = '0123456789abcdef/scan/1/kill/1.0.1/0';

/** Uses up its files, looks for processes, gives the files back, and looks again. */
const script = `
  import { closeSync, openSync } from 'node:fs';
  const { ProcessScan } = await import('${new URL('./process-scan.ts', import.meta.url)}');
  const scan = new ProcessScan();
  const look = () => scan.carriers().then((found) => found.some(({ mark }) => mark === '${mark}'), (error) => error.code);
  const told = [await look()];
  const files = [];
  try {
    for (;;) files.push(openSync('/dev/null'));
  } catch {}
  told.push(await look());
  closeSync(files.pop());
  told.push(await look());
  for (const file of files) closeSync(file);
  told.push(await look());
  console.log(JSON.stringify(told));
`;

describe.runIf(process.platform === 'linux')('a look for processes', () => {
  it('that cannot be taken fails instead of seeing nothing, and is in the way of no later one', () => {
    const told = execFileSync(
      '/bin/sh',
      ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, script],
      { encoding: 'utf8', env: { ...process.env, ORRERY_GUARD: mark } },
    );
    // With a single file the folder can be read, and then each process in turn.
    expect(JSON.parse(told)).toEqual([true, 'EMFILE', true, true]);
  });
});
