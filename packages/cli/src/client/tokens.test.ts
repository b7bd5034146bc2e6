import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalNode, startLocalNode } from '../dev/local-node.ts';
import { orrery } from '../run-binary.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-tokens-'));
let node: LocalNode;

beforeAll(async () => {
  node = await startLocalNode({
    folder,
    port: 0,
    token: 'secret',
    codeFolder: folder,
    plugins: [],
    log: () => {},
  });
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});

const as = (token: string, ...args: string[]) => orrery([...args, '--url', node.url, '--token', token]);

it('makes tokens, lists them and ends them', async () => {
  expect((await as('secret', 'token')).out).toContain('there is no token but the one of the server');
  const made = await as('secret', 'token', 'create', '--name', 'ci', '--role', 'operator', '--days', 'never');
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining('operator of all projects for ever') });
  const token = made.out.trim();
  expect(token).toMatch(/^orr_\S+$/);
  expect(await as(token, 'runs')).toMatchObject({ code: 0 });
  const refused = await as(token, 'token', 'list');
  expect(refused.err).toContain('this needs the role admin');
  const listed = await as('secret', 'token', 'list');
  expect(listed.out).toMatch(/ci +operator +all +on/);
  expect(listed.out).not.toContain(token);
  const [{ id }] = JSON.parse((await as('secret', 'token', 'list', '--json')).out).tokens;
  expect((await as('secret', 'token', 'revoke', String(id))).out).toContain(`token ${id} (ci) has ended`);
  expect(await as(token, 'runs')).toMatchObject({ out: '', err: expect.stringContaining('token') });
});

it('says what is wrong with what was given', async () => {
  const wrong = await as('secret', 'token', 'create', '--name', 'x', '--role', 'owner');
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('viewer, operator, editor, admin') });
  expect((await as('secret', 'token', 'create', '--name', 'x', '--days', 'soon')).err).toContain(
    '"soon" is not a number of days',
  );
});
