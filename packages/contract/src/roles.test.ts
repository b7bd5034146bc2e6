import { expect, it } from 'vitest';
import { contract, type Operation } from './index.ts';
import { type AccessAction, buttonActions, roleActions, roleFor, roles } from './roles.ts';

const entries = Object.entries<Operation>(contract);

it('lets those who only see change nothing', () => {
  const readers = new Set(['signIn', 'signOut', 'savePreferences', 'changePreferences', 'validateWorkflow']);
  const changing = entries.filter(
    ([id, { route }]) => !route.startsWith('GET ') && !readers.has(id) && !id.startsWith('preview'),
  );
  expect(changing.length).toBeGreaterThan(10);
  for (const [id, { action }] of changing) expect([id, roleFor(action)]).not.toContain('viewer');
});

it('has no action that no operation asks for', () => {
  const asked = new Set(entries.map(([, { action }]) => action));
  expect(new Set(roles.flatMap((role) => [...roleActions[role]]))).toEqual(asked);
});

it('gives each role the rights of those before it', () => {
  const includes = (role: ReadonlySet<AccessAction>, other: ReadonlySet<AccessAction>) =>
    other.isSubsetOf(role);
  expect(
    roles.map((role) => roles.filter((other) => includes(roleActions[role], roleActions[other])).length),
  ).toEqual([1, 2, 3, 4]);
  for (const action of Object.values(buttonActions)) expect(roles).toContain(roleFor(action));
});
