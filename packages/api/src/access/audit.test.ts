/** Every operation that changes something leaves an entry in the audit: what, and who asked from where. */
import { operationIds, operationOf } from '@orrery/contract';
import { describe, expect, it } from 'vitest';
import { exampleOf, seed, type World } from '../openapi/world.ts';

interface Entry {
  readonly id: number;
  readonly actor: string;
  readonly token: number | null;
  readonly address: string | null;
  readonly request: string | null;
  readonly action: string;
  readonly subject: string;
  readonly detail: Record<string, unknown>;
}

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const world = await seed();
  try {
    await use(world);
    expect(world.api.defects).toEqual([]);
  } finally {
    await world.api.app.close();
    await world.api.store.close();
  }
}

const entriesOf = async ({ api }: World): Promise<Entry[]> =>
  (await api.get('/audit?limit=200')).body.entries;

describe('the audit', () => {
  const changing = operationIds.filter((id) => operationOf(id).audit !== undefined && id !== 'signOut');
  it.each(changing)('has an entry of %s', async (id) => {
    await withWorld(async (world) => {
      const before = (await entriesOf(world)).at(0)?.id ?? 0;
      const sent = exampleOf(id, world);
      // What an example only tries, or asks for what is so already, would change nothing.
      const { payload: given = '' } = sent;
      const payload = String(given).replace(/"dryRun":true|"online":true/, (text) =>
        text.replace('true', 'false'),
      );
      const reply = await world.api.app.inject({ ...sent, ...(payload !== '' && { payload }) });
      expect(reply.statusCode, reply.body).toBeLessThan(300);
      const made = (await entriesOf(world)).filter((entry) => entry.id > before);
      const own = made.filter(({ request }) => request === reply.headers['x-request-id']);
      expect(own.map(({ action }) => action)).toContain(operationOf(id).audit);
      const { open } = operationOf(id);
      for (const entry of own) {
        expect(entry).toMatchObject({ address: '127.0.0.1', subject: expect.stringMatching(/./) });
        if (!open) expect(entry).toMatchObject({ actor: 'admin', token: 0 });
      }
    });
  });

  /** Of those that replace or remove something; a mute is always another one. */
  const replacing = changing.filter((id) =>
    /^(?!alert-mute).*\.(set|choose|configure|delete|invite|uninvite)$/.test(operationOf(id).audit ?? ''),
  );
  it.each(replacing)('says of %s what was before', async (id) => {
    await withWorld(async (world) => {
      const { payload = '', ...sent } = exampleOf(id, world);
      const body = String(payload).replace('"dryRun":true', '"dryRun":false');
      const reply = await world.api.app.inject({ ...sent, ...(body !== '' && { payload: body }) });
      const [entry] = (await entriesOf(world)).filter(({ action }) => action === operationOf(id).audit);
      expect(entry?.request, reply.body).toBe(reply.headers['x-request-id']);
      const isGone = /\.(delete|uninvite)$/.test(entry.action);
      // Of parameters and variables only the names: their values may be secret.
      const { before, after, changed, changes } = entry.detail;
      if (isGone) expect(before).toEqual(expect.anything());
      else
        expect([before !== undefined || changed !== undefined, after ?? changes ?? changed]).toEqual([
          true,
          expect.anything(),
        ]);
    });
  });

  const others = operationIds.filter((id) => operationOf(id).unaudited !== undefined);
  it.each(others)('has none of %s, as its entry says', async (id) => {
    await withWorld(async (world) => {
      const before = (await entriesOf(world)).at(0)?.id ?? 0;
      await world.api.app.inject(exampleOf(id, world));
      expect((await entriesOf(world)).filter((entry) => entry.id > before)).toEqual([]);
    });
  });

  it('names the token, its number, and what was before and after', async () => {
    await withWorld(async (world) => {
      const { api, schedules } = world;
      const { body: made } = await api.post('/tokens', { name: 'ci', role: 'editor' });
      const headers = { authorization: `Bearer ${made.token}` };
      await api.post(`/schedules/${schedules[0]}/pause`, {}, headers);
      expect((await entriesOf(world))[0]).toMatchObject({
        actor: 'ci',
        token: made.id,
        action: 'schedule.pause',
        subject: expect.stringContaining('default/demo'),
        detail: { before: 'on', after: 'paused' },
      });
      const { body: run } = await api.post('/runs', { workflow: 'demo' }, headers);
      expect((await api.get(`/runs/${run.id}`)).body.startedBy).toBe('ci');
      await api.hand.claim();
      expect((await api.get(`/runs/${run.id}`)).body.startedBy).toBe('ci');
    });
  });

  it('has refusals, but no more of them than a few a minute', async () => {
    await withWorld(async (world) => {
      const { api } = world;
      const { body: made } = await api.post('/tokens', { name: 'reader', role: 'viewer' });
      const ask = (token: string) =>
        api.post('/runs', { workflow: 'demo' }, { authorization: `Bearer ${token}` });
      expect((await ask(made.token)).status).toBe(403);
      expect((await ask('wrong')).status).toBe(401);
      await expect
        .poll(async () => (await entriesOf(world)).filter(({ action }) => action === 'access.refuse'))
        .toMatchObject([
          { actor: 'nobody', token: null, detail: { kind: 'not-signed-in' } },
          { actor: 'reader', token: made.id, subject: 'POST /api/v1/runs', detail: { kind: 'not-allowed' } },
        ]);
      for (let k = 0; k < 100; k++) await ask(made.token);
      const refused = (await entriesOf(world)).filter(({ action }) => action === 'access.refuse');
      expect(refused.length).toBeLessThanOrEqual(60);
      api.now += 61_000;
      await ask(made.token);
      await expect.poll(async () => (await entriesOf(world))[0].detail.leftOut).toBe(42);
    });
  });

  it('is exported as one JSON object a line, oldest first', async () => {
    await withWorld(async (world) => {
      const reply = await world.api.app.inject({
        method: 'GET',
        url: '/api/v1/audit?format=lines',
        headers: world.api.headers,
      });
      expect(reply.headers['content-type']).toContain('application/x-ndjson');
      const lines = reply.body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Entry);
      expect(lines.toReversed()).toEqual(await entriesOf(world));
      expect(lines.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['node.join', 'worker.join', 'workflow.publish', 'run.start', 'bulk.create']),
      );
    });
  });
});
