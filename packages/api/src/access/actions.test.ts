import { expect, it } from 'vitest';
import { withActionsFor } from './actions.ts';

it('narrows actions at the top, in parts and in lists, and keeps what else is said of them', () => {
  const resume = { name: 'resume', allowed: true, of: '12' };
  const narrowed = {
    ...resume,
    allowed: false,
    reason: expect.stringContaining('the role operator'),
    code: 'access.needsRole',
    fields: { role: 'operator' },
  };
  const answer = {
    actions: [resume],
    why: { code: 'held', actions: [resume] },
    runs: [{ actions: [resume] }],
  };
  expect(withActionsFor('viewer', answer)).toEqual({
    actions: [narrowed],
    why: { code: 'held', actions: [narrowed] },
    runs: [{ actions: [narrowed] }],
  });
  expect(withActionsFor('operator', answer)).toEqual(answer);
});
