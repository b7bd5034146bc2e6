import { describe, expect, it } from 'vitest';
import { GroupCommit, type GroupedWrite } from './group-commit.ts';

/** A server that refuses writes of some paths, and records the groups it was sent. */
function server(refused: readonly string[] = []) {
  const groups: string[][] = [];
  const made: string[] = [];
  const answers: (() => void)[] = [];
  const pathsOf = (group: readonly GroupedWrite[]) => group.map(({ operations }) => operations[0].path);
  const writes = new GroupCommit<string>({
    send: (group) => {
      const paths = pathsOf(group);
      groups.push(paths);
      return new Promise((resolve, reject) => {
        answers.push(() => {
          const bad = paths.find((path) => refused.includes(path));
          if (bad !== undefined) {
            reject(new Error(`refused ${bad}`));
            return;
          }
          made.push(...paths);
          resolve(paths.map((path) => `made ${path}`));
        });
      });
    },
    isRefusal: (error) => (error as Error).message !== 'refused gone',
  });
  return {
    groups,
    made,
    write: (path: string) => writes.write({ operations: [{ op: 'delete', path }], values: [''] }),
    /** Answers every request until no more comes. */
    async answerAll() {
      for (let k = 0; k < answers.length; k++) {
        answers[k]();
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    },
  };
}

describe('writes in groups', () => {
  it('sends a write at once, and those requested meanwhile together', async () => {
    const { groups, write, answerAll } = server();
    const all = ['a', 'b', 'c'].map((path) => write(path));
    expect(groups).toEqual([['a']]);
    await answerAll();
    expect(groups).toEqual([['a'], ['b', 'c']]);
    expect(await Promise.all(all)).toEqual(['made a', 'made b', 'made c']);
    await Promise.all([write('d'), answerAll()]);
    expect(groups.at(-1)).toEqual(['d']);
  });

  it('fails a refused write alone, and makes the others once in their order', async () => {
    const { made, write, answerAll } = server(['5', '11']);
    const names = Array.from({ length: 60 }, (_, i) => String(i));
    const all = Promise.allSettled(names.map((path) => write(path)));
    await answerAll();
    const results = await all;
    for (const [i, result] of results.entries())
      expect(result).toMatchObject(
        i === 5 || i === 11
          ? { status: 'rejected', reason: { message: `refused ${i}` } }
          : { status: 'fulfilled', value: `made ${i}` },
      );
    expect(made).toEqual(names.filter((name) => name !== '5' && name !== '11'));
  });

  it('sends no write twice when the server does not answer or the session is over', async () => {
    const { groups, write, answerAll } = server(['gone']);
    const all = Promise.allSettled(['a', 'b', 'gone'].map((path) => write(path)));
    await answerAll();
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(groups).toEqual([['a'], ['b', 'gone']]);
  });
});
