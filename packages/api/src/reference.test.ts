import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testApi } from './testing.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'reference', 'api.md'), 'utf8');

it('has every route in the reference, and no other', async () => {
  const { app, store } = await testApi();
  await app.ready();
  const listed = [...page.matchAll(/^\| `(GET|POST|PUT|DELETE) (\/\S+)` \|/gm)].map(
    ([, method, path]) => `${method} ${path}`,
  );
  expect(listed.length).toBeGreaterThan(0);
  const missing = listed.filter((line) => {
    const [method, path] = line.split(' ');
    return !app.hasRoute({ method: method as 'GET', url: `/api/v1${path}` });
  });
  expect(missing).toEqual([]);
  const tree = app.printRoutes({ commonPrefix: false });
  const routes = [...tree.matchAll(/\(([A-Z, ]+)\)/g)].flatMap(([, methods]) => methods.split(', '));
  expect(routes).toHaveLength(listed.length);
  await app.close();
  await store.close();
});
