/**
 * 10,000 alerts while masters are killed and channels refuse, hang and break off: each alert arrives, or is listed with
 * the reason why not. What arrives twice says that it may have.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ruleSchema } from '@orrery/core/alert/schema';
import { type DeliveryRow, openPostgres, type Self, type Store } from '@orrery/store';
import { testDatabase } from '@orrery/testkit/databases';
import { Random } from '@orrery/testkit/random';
import { afterEach, expect, it } from 'vitest';
import { changeOf, claimStarts, commandOf, joinMaster, publish } from '../../../store/src/testing.ts';
import { type NodeProcess, TestCluster } from './node-process.ts';

const EVENTS = 10_000;
const STEP = 250;
const MASTERS = ['m1', 'm2', 'm3'];
const CHANNELS = ['well', 'refuses', 'hangs', 'breaks'];
const LIMIT = 900_000;

interface Arrival {
  readonly id: string;
  readonly name: string;
  readonly isMarked: boolean;
  readonly answered: boolean;
  readonly isRefused: boolean;
}

const random = new Random(Number(process.env.ORRERY_TEST_SEED ?? 1));
const arrivals: Arrival[] = [];
let inTrouble = true;
let receiver: Server | undefined;
let cluster: TestCluster | undefined;
let store: Store | undefined;
let database: Awaited<ReturnType<typeof testDatabase>> | undefined;
let beating: NodeJS.Timeout | undefined;

afterEach(async () => {
  clearInterval(beating);
  await cluster?.stop();
  await store?.close();
  receiver?.closeAllConnections();
  await new Promise((resolve) => receiver?.close(resolve));
  await database?.drop();
});

it('every alert is delivered or listed, whoever is killed meanwhile', { timeout: LIMIT }, async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
  cluster.environment = { ORRERY_SECRET_HOOK: 'a-shared-secret' };
  const masters = new Map<string, NodeProcess>();
  for (const name of MASTERS) masters.set(name, await cluster.master(name));
  store = await openPostgres({ url: database.url });
  await setUp(store, await listen());

  const raised = raise(store);
  let kills = 0;
  while (kills < 6 || arrivals.length < EVENTS * 0.7) {
    const name = MASTERS[kills++ % MASTERS.length];
    await masters.get(name)?.end('SIGKILL');
    masters.set(name, await cluster.master(name));
    await sleep(3_000);
  }
  await raised;
  inTrouble = false;

  await expect
    .poll(async () => (await summary(store)).moving, { timeout: LIMIT / 2, interval: 2_000 })
    .toBe(0);
  const deliveries = await all(store);
  const listed = new Set(deliveries.filter(({ state }) => state !== 'sent').map(nameOf));
  const arrived = new Set(arrivals.filter(({ answered }) => answered).map(({ name }) => name));
  const names = Array.from({ length: EVENTS }, (_, k) => eventName(k));
  expect(names.filter((name) => !arrived.has(name) && !listed.has(name))).toEqual([]);
  // What is said to be sent was received, and nothing else was made up.
  expect(deliveries.filter((one) => one.state === 'sent' && !arrived.has(nameOf(one)))).toEqual([]);
  expect(new Set(deliveries.map(nameOf)).size).toBe(EVENTS);
  // A refusal was an answer: what follows it is no double.
  const byId = Map.groupBy(
    arrivals.filter(({ isRefused }) => !isRefused),
    ({ id }) => id,
  );
  const doubles = [...byId.values()].flatMap((same) => same.slice(1));
  expect(doubles.filter(({ isMarked }) => !isMarked)).toEqual([]);
  console.log(
    JSON.stringify({ kills, ...(await summary(store)), arrived: arrived.size, doubles: doubles.length }),
  );
});

/** A server that answers by the channel that is asked for. */
async function listen(): Promise<string> {
  receiver = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    const chance = random.next();
    const path = inTrouble ? request.url : '/well';
    const isHung = path === '/hangs' && chance < 0.01;
    const isRefused = path === '/refuses' && chance < 0.3;
    const isBroken = path === '/breaks' && chance < 0.3;
    arrivals.push({
      id: String(request.headers['webhook-id']),
      name: body.data.subjects[0].name,
      isMarked: /may have been delivered before/.test(body.data.lines.at(-1)),
      answered: !isHung && !isRefused && !isBroken,
      isRefused,
    });
    if (isHung) return;
    if (isBroken) response.destroy();
    else response.writeHead(isRefused ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => receiver?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
}

async function setUp(on: Store, base: string): Promise<void> {
  const [by, now] = ['ann', Date.now()];
  const rules = CHANNELS.map((name) => ({
    project: '*',
    rule: ruleSchema.parse({ name, match: { names: [`${name}-*`] }, channels: [name] }),
  }));
  const channels = CHANNELS.map((name) => ({
    project: '*',
    name,
    kind: 'webhook',
    settings: { url: `${base}/${name}`, secrets: ['${secret.hook}'] },
  }));
  await on.applyAlerts({ channels, rules, by, now });
}

/** Raises the alerts with the changes of a run, as its owner does: the test is a master too. */
async function raise(on: Store): Promise<void> {
  const self: Self = await joinMaster(on, 'hand', Date.now());
  beating = setInterval(() => void on.beat({ self, now: Date.now() }), 500);
  const workflow = await publish(on);
  const run = await claimed(on, self, workflow);
  for (let from = 0; from < EVENTS; from += STEP) {
    const alerts = Array.from({ length: STEP }, (_, k) => ({
      kind: 'tick-skipped' as const,
      workflow,
      project: 'default',
      name: eventName(from + k),
      run: null,
      text: 'nothing was started',
      from: null,
      to: null,
    }));
    await on.commitRuns({ self, changes: [changeOf(run, { alerts })], now: Date.now() });
    await sleep(500);
  }
}

/** A run that this master got before the others. */
async function claimed(on: Store, self: Self, workflow: number): Promise<number> {
  for (;;) {
    const { run } = await on.submitCommand({ command: commandOf(workflow), now: Date.now() });
    const [mine] = await claimStarts(on, self, 1);
    if (mine) return run;
  }
}

async function all(on: Store | undefined): Promise<DeliveryRow[]> {
  const found: DeliveryRow[] = [];
  for (;;) {
    const page = (await on?.listDeliveries({ before: found.at(-1)?.id, limit: 1_000 })) ?? [];
    found.push(...page);
    if (page.length < 1_000) return found;
  }
}

/** `moving`: what is to be written or tried within the next minute and a half. */
async function summary(on: Store | undefined) {
  const deliveries = await all(on);
  const soon = Date.now() + 90_000;
  const waiting = deliveries.filter(({ state }) => state === 'waiting');
  const missing = EVENTS - new Set(deliveries.map(nameOf)).size;
  return {
    sent: deliveries.filter(({ state }) => state === 'sent').length,
    waiting: waiting.length,
    failed: deliveries.filter(({ state }) => state === 'failed').length,
    moving: missing + waiting.filter(({ nextTry }) => (nextTry ?? 0) < soon).length,
  };
}

function eventName(k: number): string {
  return `${CHANNELS[k % CHANNELS.length]}-${k}`;
}

function nameOf({ message }: DeliveryRow): string {
  return message.subjects[0]?.name ?? '';
}
