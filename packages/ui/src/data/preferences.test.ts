import { expect, it } from 'vitest';
import { changeOf } from './preferences.ts';

it('saves what was set here, and not what another browser may have set meanwhile', () => {
  const before = { theme: 'dark', watched: ['etl/a'], zone: 'utc' } as const;
  expect(changeOf(before, { ...before, watched: ['etl/a', 'etl/b'], density: 'compact' })).toEqual({
    watched: ['etl/a', 'etl/b'],
    density: 'compact',
  });
  expect(changeOf(before, { ...before, watched: [...before.watched] })).toEqual({});
});
