import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, json, orrery, until, useServer, write } from './use-server.ts';

useServer();

it('ORRERY_ATTEMPT_TOKEN grows with every attempt of a task and shard: retry, recovery, next run', async () => {
  const script = `echo $ORRERY_ATTEMPT_TOKEN >> ${folder}/tokens$ORRERY_SHARD; exit 1`;
  const task = { name: 'a', type: 'shell', retries: { limit: 1 }, with: { script } };
  const tasks = [task, { ...task, name: 'b', shards: 2 }];
  await orrery('apply', '-f', write('fenced.json', JSON.stringify({ name: 'fenced', tasks })));
  const { id } = await json('run', 'fenced', '--wait');
  await orrery('runs', 'recover', String(id));
  await until(
    () => json('runs', 'show', String(id)),
    ({ state, round }) => state === 'failed' && round === 2,
  );
  await orrery('run', 'fenced', '--wait');
  for (const shard of ['', '0', '1']) {
    const tokens = readFileSync(join(folder, `tokens${shard}`), 'utf8')
      .trimEnd()
      .split('\n');
    expect(tokens).toHaveLength(6);
    expect(new Set(tokens).size).toBe(6);
    expect(tokens.map(BigInt)).toEqual(tokens.map(BigInt).sort((a, b) => Number(a - b)));
  }
});
