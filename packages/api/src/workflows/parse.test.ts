import { describe, expect, it } from 'vitest';
import { parseFile } from './parse.ts';

const file = (tasks: number) =>
  `name: w\ntasks:\n${Array.from({ length: tasks }, (_, i) => `  - {name: t${i}, type: shell}\n`).join('')}`;

/** Whether anything else had its turn before the file was read. */
async function othersHadATurn(text: string): Promise<boolean> {
  let turn = false;
  setImmediate(() => {
    turn = true;
  });
  await parseFile(text);
  return turn;
}

describe('a workflow file', () => {
  it('that is small is read at once', async () => {
    expect(await othersHadATurn(file(3))).toBe(false);
  });

  it('that is large is read beside everything else, with the same result', async () => {
    expect(await othersHadATurn(file(3_000))).toBe(true);
    const { workflows, problems } = await parseFile(`${file(3_000)}typo: 1\n`);
    expect([workflows, problems]).toEqual([
      [],
      [expect.objectContaining({ code: 'unknown-key', line: 3_003 })],
    ]);
    expect((await parseFile(file(3_000))).workflows[0].tasks).toHaveLength(3_000);
  });
});
