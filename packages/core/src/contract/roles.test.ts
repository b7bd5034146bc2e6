import { expect, it } from 'vitest';
import { operations } from './operations.ts';
import { actionRoles, includesRole, needed, needOf, roleNotes, roles } from './roles.ts';

it('says of every operation what it needs, and of no other', () => {
  expect([...needed].sort()).toEqual(Object.keys(operations).sort());
});

it('lets those who only see change nothing', () => {
  const readers = new Set(['signIn', 'signOut', 'savePreferences', 'changePreferences', 'validateWorkflow']);
  const changing = Object.entries(operations).filter(
    ([id, [method]]) => method !== 'GET' && !readers.has(id) && !id.startsWith('preview'),
  );
  expect(changing.length).toBeGreaterThan(10);
  for (const [id] of changing)
    expect([id, needOf(id as keyof typeof operations).role]).not.toContain('viewer');
});

it('gives each role the rights of those before it', () => {
  expect(roles.map((role) => roles.filter((other) => includesRole(role, other)).length)).toEqual([
    1, 2, 3, 4,
  ]);
  expect(Object.keys(roleNotes)).toEqual([...roles]);
  for (const role of Object.values(actionRoles)) expect(roles).toContain(role);
});
