import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { NotFound, Plans, type Store } from '../index.ts';
import { publish } from '../testing.ts';

describe.each(testDatabases())('plans on $name', ({ open, close }) => {
  let store: Store;
  let reads: number;
  const counting: Pick<Store, 'readWorkflow'> = {
    readWorkflow: (input) => {
      reads++;
      return store.readWorkflow(input);
    },
  };
  beforeEach(async () => {
    store = await open();
    reads = 0;
  });
  afterAll(close);

  it('are read once, also by those who ask at a time', async () => {
    const id = await publish(store);
    const plans = new Plans(counting, 2);
    const [one, two] = await Promise.all([plans.get(id, 1), plans.get(id, 1)]);
    expect(one).toBe(two);
    expect(await plans.of({ workflow: id, version: 1, request: {} })).toBe(one);
    expect(reads).toBe(1);
  });

  it('go when they were unused for longest', async () => {
    const [a, b, c] = [await publish(store, 'a'), await publish(store, 'b'), await publish(store, 'c')];
    const plans = new Plans(counting, 2);
    for (const id of [a, b, a, c]) await plans.get(id, 1);
    expect(reads).toBe(3);
    await plans.get(a, 1);
    expect(reads).toBe(3);
    await plans.get(b, 1);
    expect(reads).toBe(4);
  });

  it('that are not there yet are asked for again', async () => {
    const id = await publish(store, 'other');
    const plans = new Plans(counting, 2);
    await expect(plans.get(id + 1, 1)).rejects.toThrow(NotFound);
    expect(await publish(store, 'flow')).toBe(id + 1);
    expect((await plans.get(id + 1, 1)).workflow.name).toBe('flow');
  });
});
