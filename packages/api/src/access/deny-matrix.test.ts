/** Every operation asked without a token, by each role, and by an admin of another project: its entry says who is refused. */
import { operationIds, operationOf } from '@orrery/contract';
import { type Role, roleActions, roleFor, roles, type Scope } from '@orrery/contract/roles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf, requestOf, seed, type World } from '../openapi/world.ts';

let world: World;
let stranger: string;
const tokens = new Map<Role, string>();
beforeAll(async () => {
  world = await seed();
  const make = async (role: Role, project: string | null) =>
    (await world.api.post('/tokens', { name: `the ${role}`, role, project })).body.token as string;
  for (const role of roles) tokens.set(role, await make(role, null));
  stranger = await make('admin', 'other');
});
afterAll(async () => {
  expect(world.api.defects).toEqual([]);
  await world.api.app.close();
  await world.api.store.close();
});

/** Sends the example of an operation. One that would stream without end is asked for a topic that is none. */
async function ask(id: (typeof operationIds)[number], token: string | undefined) {
  const sent = id === 'followEvents' ? requestOf(id, { topics: ['nosuch'] }) : exampleOf(id, world);
  const { authorization: _, ...headers } = sent.headers;
  const reply = await world.api.app.inject({
    ...sent,
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
  });
  return { status: reply.statusCode, text: reply.body };
}

const ids = operationIds.filter((id) => !operationOf(id).open);

/** Paths and methods that a server answers, from the tree that it prints of them. */
function routesOf({ api }: World): string[] {
  const parents: string[] = [];
  return api.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, lead, part, methods] = /^(.*?)[├└]── (.*?)(?: \((.*)\))?$/.exec(line) ?? [];
      if (lead === undefined) return [];
      parents.length = lead.length / 4;
      parents.push(`${parents.at(-1) ?? ''}${part}`);
      const path = parents.at(-1)?.replace(/:(\w+)/g, '{$1}');
      return (methods?.split(', ') ?? []).map((method) => `${method} ${path}`);
    });
}

describe('a route', () => {
  it('is an operation of the contract, or one of those outside of it', () => {
    const operations = new Set(operationIds.map((id) => operationOf(id).route.replace(' ', ' /api/v1')));
    const found = routesOf(world);
    expect(found.filter((route) => operations.has(route)).sort()).toEqual([...operations].sort());
    expect(found.filter((route) => !operations.has(route)).sort()).toEqual([
      'GET /approve/{key}',
      'POST /approve/{key}',
    ]);
  });

  it('that is answered without a token is one of these', () => {
    const open = operationIds.filter((id) => operationOf(id).open).sort();
    expect(open).toEqual(['checkHealth', 'checkReady', 'receiveHook', 'signIn', 'signOut']);
  });
});

describe('nobody', () => {
  it.each(ids)('is not let in to %s', async (id) => {
    expect((await ask(id, undefined)).status).toBe(401);
  });
});

/** What an admin of another project is answered; `quiet`: refused, or answered without a word of this project. */
const strangerGets: Record<Scope, 'open' | 'quiet' | number> = {
  shared: 'open',
  path: 403,
  workflow: 403,
  every: 403,
  run: 404,
  schedule: 404,
  filter: 'quiet',
  handler: 'quiet',
};

/** What only those of this project know. */
const ofThisProject = /\b(demo|nightly|lone|gate|warehouse|holidays)\b/;
const saysBackWhatIsAsked: ReadonlySet<string> = new Set(['readOpenApi', 'validateWorkflow']);

describe('an admin of another project', () => {
  it.each(ids)('learns and changes nothing by %s', async (id) => {
    const { status, text } = await ask(id, stranger);
    const expected = strangerGets[operationOf(id).scope];
    // What answers everybody tells nothing of a project either; examples of previews and schemas name what is asked.
    if (expected !== 'open' || !saysBackWhatIsAsked.has(id)) expect(text).not.toMatch(ofThisProject);
    if (typeof expected === 'number') expect([status, text]).toEqual([expected, expect.anything()]);
    else if (expected === 'open') expect([401, 403]).not.toContain(status);
    else {
      const { route, action } = operationOf(id);
      if (!route.startsWith('GET ') && action !== 'self') expect([403, 404]).toContain(status);
    }
  });
});

// From the least to the most powerful: what one may do changes the world only for those after it.
describe.each(roles)('the role %s', (role) => {
  it.each(ids)('does %s only with the right to', async (id) => {
    const { action } = operationOf(id);
    const { status, text } = await ask(id, tokens.get(role));
    if (roleActions[role].has(action)) expect([401, 403]).not.toContain(status);
    else {
      expect(status).toBe(403);
      expect(text).toContain(`your role is ${role}; this needs the role ${roleFor(action)}`);
    }
  });
});
