import { describe, expect, it } from 'vitest';
import { type ModelOptions, playModel } from './engine-model.ts';
import { seeds } from './tier.ts';

async function playAll(seeds: readonly number[], broken?: ModelOptions['broken']): Promise<string[]> {
  const failures: string[] = [];
  for (const seed of seeds) {
    await playModel(seed, { runs: 5, tasks: 12, broken }).catch((error) => {
      failures.push(`seed ${seed}: ${error.message}`);
    });
  }
  return failures;
}

describe('random workflows through the engine', { timeout: 600_000 }, () => {
  it('end as the rules say, through crashes and a store that fails; and end whatever people do', async () => {
    expect(await playAll(seeds(15, 200))).toEqual([]);
  });

  it('are caught when the engine breaks a rule', async () => {
    expect((await playAll([1, 2, 3, 4], 'rule')).join()).toMatch(/ended otherwise than the rules say/);
  });

  it('are caught when attempts are lost', async () => {
    expect((await playAll([1, 2], 'queue')).join()).toMatch(/runs do not end/);
  });

  it('go the same way for the same seed', async () => {
    const options = { runs: 3, tasks: 10 };
    expect(await playModel(7, options)).toEqual(await playModel(7, options));
  });
});
