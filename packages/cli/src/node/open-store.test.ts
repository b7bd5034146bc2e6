import { StoreAway } from '@orrery/store';
import { expect, it } from 'vitest';
import { throughOutages } from './open-store.ts';

it('a step of a start is tried again while the database is away, and told of in two lines', async () => {
  const lines: string[] = [];
  let tries = 0;
  const step = async () => {
    if (++tries < 3) throw new StoreAway('the database does not answer: connection reset', false);
    return tries;
  };
  expect(await throughOutages((level, text) => lines.push(`${level} ${text}`), step)).toBe(3);
  expect(lines).toEqual([
    'warn waiting for the database: the database does not answer: connection reset',
    'info the database answers',
  ]);
});

it('any other error ends it at once', async () => {
  const wrong = () => Promise.reject(new Error('no such role'));
  await expect(throughOutages(() => {}, wrong)).rejects.toThrow('no such role');
});
