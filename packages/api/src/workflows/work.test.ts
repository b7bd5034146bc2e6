import { describe, expect, it } from 'vitest';
import { compareFiles, differencesOf, parseFile, writeFile } from './work.ts';

const file = (tasks: number) =>
  `name: w\ntasks:\n${Array.from({ length: tasks }, (_, i) => `  - {name: t${i}, type: shell}\n`).join('')}`;

/** Whether anything else had its turn before the file was read. */
async function othersHadATurn(work: () => Promise<unknown>): Promise<boolean> {
  let turn = false;
  setImmediate(() => {
    turn = true;
  });
  await work();
  return turn;
}

describe('a workflow file', () => {
  it('that is small is read at once', async () => {
    expect(await othersHadATurn(() => parseFile(file(3)))).toBe(false);
  });

  it('that is large is read beside everything else, with the same result', async () => {
    expect(await othersHadATurn(() => parseFile(file(3_000)))).toBe(true);
    const { workflows, problems } = await parseFile(`${file(3_000)}typo: 1\n`);
    expect([workflows, problems]).toEqual([
      [],
      [expect.objectContaining({ code: 'unknown-key', line: 3_003 })],
    ]);
    expect((await parseFile(file(3_000))).workflows[0].tasks).toHaveLength(3_000);
  });
});

describe('many large workflow files at once', () => {
  it('are read two at a time, and refused where more than a few wait', async () => {
    const all = await Promise.allSettled(Array.from({ length: 9 }, () => parseFile(file(3_000))));
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused.map((each) => (each as PromiseRejectedResult).reason.kind)).toEqual([
      'busy',
      'busy',
      'busy',
    ]);
    expect((await parseFile(file(3_000))).problems).toEqual([]);
  });
});

describe('a large workflow file that nobody waits for any more', () => {
  it('is not read to its end, and gives its turn to the next one', async () => {
    const gone = new AbortController();
    const left = Promise.allSettled(Array.from({ length: 6 }, () => parseFile(file(9_000), {}, gone.signal)));
    const busy = parseFile(file(3_000));
    await expect(busy).rejects.toThrow('too many large');
    gone.abort();
    expect((await left).map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
    expect((await parseFile(file(3_000))).problems).toEqual([]);
    await expect(parseFile(file(3_000), {}, gone.signal)).rejects.toThrow('connection was closed');
    expect((await parseFile(file(3_000))).problems).toEqual([]);
  });
});

describe('a workflow', () => {
  it.each([
    [3, false],
    [300, true],
  ])('of %i tasks is written and compared beside everything else: %s', async (tasks, beside) => {
    const [workflow] = (await parseFile(file(tasks))).workflows;
    const [other] = (await parseFile(file(tasks + 1))).workflows;
    expect(await othersHadATurn(() => writeFile(workflow, 'yaml'))).toBe(beside);
    expect(await othersHadATurn(() => compareFiles(workflow, other))).toBe(beside);
    expect(await othersHadATurn(() => differencesOf(workflow, other))).toBe(beside);
    expect((await parseFile(await writeFile(workflow, 'yaml'))).workflows).toEqual([workflow]);
    expect((await compareFiles(workflow, other)).tasks.added).toEqual([`t${tasks}`]);
  });
});
