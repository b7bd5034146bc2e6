/**
 * Slots of limits, taken in the transaction that starts their holder and freed in the one that ends it. A
 * holder takes all its slots or none, and then waits in the list of the first full limit; freeing a slot
 * admits the next waiter. Holders are attempts, whose tokens wait outside the queue, and runs (task -1),
 * which get a message.
 */
import type { Grant } from '@orrery/core/admit';
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { insert } from '../../table.ts';
import { limitSlotTable, limitWaitTable } from '../../tables.ts';
import {
  type AttemptRef,
  inKeyOrder,
  isAmong,
  isKey,
  keyText,
  keyTypes,
  keyValues,
} from '../runs/attempt-key.ts';
import { type InboxMessage, tell } from '../runs/inbox.ts';
import { newNumbers } from '../runs/numbers.ts';
import { enqueue, type ReadyRow } from '../runs/ready.ts';
import { LimitBook, type LimitNeed } from './limit-book.ts';
import {
  bodyOf,
  firstInLine,
  firstWaiters,
  hadTurn,
  lineOf,
  setWaiterAside,
  type WaitBody,
  type WaitRow,
  waitColumns,
} from './wait-list.ts';

/** A holder that needs slots before it continues: a run of a workflow, or an attempt with its token. */
export type Asking = AttemptRef & {
  readonly needs: readonly LimitNeed[];
  /** Granted even if a limit is full. */
  readonly forced?: boolean;
  /** Refused instead of queued if a limit is full. */
  readonly fails?: boolean;
} & (
    | {
        /** The workflow whose runs are admitted in their order; null: list order. */
        readonly workflow: number | null;
        /** Message to the run on admission. */
        readonly message?: InboxMessage;
        readonly ready?: undefined;
      }
    | { readonly ready: ReadyRow; readonly message?: undefined }
  );

/** The holder key of a run. */
export function runHolder(run: number): AttemptRef {
  return { run, task: -1, shard: -1, number: 0 };
}

/** Moves a run that waits for slots to another place in its list; does nothing if it does not wait. */
export function* moveWaiter(run: number, moved: (need: LimitNeed) => LimitNeed): Operation<void> {
  const holder = keyValues(runHolder(run));
  const seen = yield* row<WaitRow>(`SELECT ${waitColumns} FROM limit_wait WHERE ${isKey}`, ...holder);
  if (!seen) return;
  yield* new LimitBook().lock(listsOf(seen));
  const waiter = yield* row<WaitRow>(`SELECT ${waitColumns} FROM limit_wait WHERE ${isKey}`, ...holder);
  const body = waiter && bodyOf(waiter);
  if (!waiter || !body) return;
  const needs = body.needs.map(moved);
  const { priority = 0 } = needs.find(({ name }) => name === waiter.name) ?? {};
  yield* change(
    `UPDATE limit_wait SET priority = ?5, body = ?6 WHERE ${isKey}`,
    ...holder,
    priority,
    JSON.stringify({ ...body, needs }),
  );
}

/** Limit of waiters admitted by one operation; the sweep admits the rest. */
const MOST = 1_000;

/** Takes slots for holders that can have all they need; the others wait. Runs of a workflow ask in order. */
export function* askLimits(asking: readonly Asking[], now: number): Operation<readonly Grant[]> {
  if (asking.length === 0) return [];
  const book = new LimitBook();
  yield* book.open(asking.flatMap(({ needs }) => needs));
  const grants: Grant[] = [];
  const granted: Asking[] = [];
  const waiting: { asking: Asking; limit: string }[] = [];
  const lines = new Set<number>();
  const first = yield* firstInLine(asking.flatMap((one) => (one.ready ? [] : (one.workflow ?? []))));
  for (const one of asking) {
    const workflow = one.ready ? null : one.workflow;
    let grant: Grant = one.forced ? { granted: true } : book.ask(one.needs);
    if (workflow !== null && grant.granted && !one.forced) {
      if (lines.has(workflow) || (first.get(workflow) ?? one.run) < one.run) {
        const limit = one.needs[0].name;
        grant = { granted: false, limit, reason: `${limit}: an earlier run comes first` };
      }
    }
    grants.push(grant);
    if (grant.granted) {
      for (const { name } of one.needs) book.count(name, 1);
      granted.push(one);
    } else if (!one.fails) {
      if (workflow !== null) lines.add(workflow);
      waiting.push({ asking: one, limit: grant.limit });
    }
  }
  yield* holdSlots(granted, book);
  yield* enqueue(
    granted.flatMap(({ ready }) => (ready ? [ready] : [])),
    true,
    now,
  );
  yield* wait(waiting, now);
  // A limit may have grown since the waiters in its list were queued.
  yield* admitNext(book, new Set(waiting.map(({ limit }) => limit)), now);
  return grants;
}

/** Frees all slots and waits of these holders and admits the next waiters; returns how many. Idempotent. */
export function* freeLimits(holders: readonly AttemptRef[], now: number): Operation<number> {
  if (holders.length === 0) return 0;
  const keys = inKeyOrder(holders).map(keyValues);
  // Before the slots: a waiter being admitted by another master holds its slots by the time this returns.
  const { rows: left } = yield* batch<Pick<WaitRow, 'name' | 'workflow' | 'body'>>(
    {
      sqlite: `DELETE FROM limit_wait WHERE ${isKey} RETURNING name, workflow, body`,
      postgres: `DELETE FROM limit_wait WHERE ${isAmong('limit_wait')} RETURNING name, workflow, body`,
    },
    keyTypes,
    keys,
  );
  const { rows: held } = yield* batch<{ name: string }>(
    {
      sqlite: `SELECT name FROM limit_slot WHERE ${isKey}`,
      postgres: `SELECT name FROM limit_slot WHERE ${isAmong('limit_slot', { locked: false })}`,
    },
    keyTypes,
    keys,
  );
  const names = [...held.map(({ name }) => name), ...left.flatMap(lineOf)];
  if (names.length === 0) return 0;
  const book = new LimitBook();
  yield* book.lock(names);
  const { rows: freed } = yield* batch<{ name: string }>(
    {
      sqlite: `DELETE FROM limit_slot WHERE ${isKey} RETURNING name`,
      postgres: `DELETE FROM limit_slot WHERE ${isAmong('limit_slot')} RETURNING name`,
    },
    keyTypes,
    keys,
  );
  for (const { name } of freed) book.count(name, -1);
  return yield* admitNext(book, names, now);
}

/** Admits waiters of these limits while slots are free, and saves the book; returns how many. */
export function* admitNext(book: LimitBook, names: Iterable<string>, now: number): Operation<number> {
  const open = new Set(names);
  yield* book.lock(open);
  let left = MOST;
  for (const name of open) {
    open.delete(name);
    const passed = new Set<string>();
    while (left > 0 && book.free(name) > 0) {
      const candidates = yield* firstWaiters(name, Math.min(book.free(name), left), passed);
      if (candidates.length === 0) break;
      for (const waiter of candidates) {
        if (book.free(name) <= 0) break;
        const admitted = yield* tryAdmit(book, waiter, now);
        passed.add(keyText(waiter));
        if (!admitted) continue;
        left--;
        // The next run of its workflow may go too, wherever it waits.
        for (const line of lineOf(waiter)) open.add(line);
      }
    }
  }
  yield* book.save();
  return MOST - left;
}

/** Admits one waiter now, even without room; false if it does not wait. */
export function* admitForced(holder: AttemptRef, now: number): Operation<boolean> {
  const waiter = yield* row<WaitRow>(
    `SELECT ${waitColumns} FROM limit_wait WHERE ${isKey}`,
    ...keyValues(holder),
  );
  if (!waiter) return false;
  const body = bodyOf(waiter);
  const book = new LimitBook();
  yield* book.lock(body?.needs.map(({ name }) => name) ?? []);
  if (!body) yield* setWaiterAside(waiter, now);
  const admitted = body !== undefined && (yield* admit(book, waiter, body, now));
  yield* admitNext(book, lineOf(waiter), now);
  return admitted;
}

/** Makes waiting runs be passed over, or restores their places; returns the runs that still wait. */
export function* pausePlaces(
  places: readonly { readonly run: number; readonly paused: boolean }[],
  now: number,
): Operation<ReadonlySet<number>> {
  const still = new Set<number>();
  for (const { run, paused } of places) {
    const holder = keyValues(runHolder(run));
    const waiter = yield* row<WaitRow>(`SELECT ${waitColumns} FROM limit_wait WHERE ${isKey}`, ...holder);
    if (!waiter) continue;
    const book = new LimitBook();
    yield* book.lock(listsOf(waiter));
    const [moved] = yield* rows<WaitRow>(
      `UPDATE limit_wait SET paused = ?5 WHERE ${isKey} RETURNING ${waitColumns}`,
      ...holder,
      Number(paused),
    );
    if (!moved) continue;
    still.add(run);
    // Admits it, or the waiters whose turn comes because it is passed over.
    yield* admitNext(book, listsOf(moved), now);
  }
  return still;
}

/** The lists to check when a waiter starts or stops being passed over. */
function listsOf(waiter: WaitRow): string[] {
  return [waiter.name, ...lineOf(waiter)];
}

/** Admits a waiter whose turn it is, or moves it to the list of the limit that is full. */
function* tryAdmit(book: LimitBook, waiter: WaitRow, now: number): Operation<boolean> {
  const body = bodyOf(waiter);
  // It leaves the line like an admitted one, so others may go on.
  if (!body) {
    yield* setWaiterAside(waiter, now);
    return true;
  }
  const { needs } = body;
  yield* book.lock(needs.map(({ name }) => name));
  if (waiter.workflow !== null) {
    const first = (yield* firstInLine([waiter.workflow])).get(waiter.workflow);
    if (first !== undefined && first < waiter.run) return false;
  }
  const grant = book.ask(needs);
  if (grant.granted) return yield* admit(book, waiter, body, now);
  const { priority = 0, owner = '' } = needs.find(({ name }) => name === grant.limit) ?? {};
  yield* change(
    `UPDATE limit_wait SET name = ?5, priority = ?6, owner = ?7 WHERE ${isKey}`,
    ...keyValues(waiter),
    grant.limit,
    priority,
    owner,
  );
  return false;
}

/** Admits a waiter; false if it was withdrawn meanwhile. */
function* admit(book: LimitBook, waiter: WaitRow, body: WaitBody, now: number): Operation<boolean> {
  const gone = yield* change(`DELETE FROM limit_wait WHERE ${isKey}`, ...keyValues(waiter));
  if (gone === 0) return false;
  const { needs, ready, message = { type: 'admitted' } } = body;
  for (const { name } of needs) book.count(name, 1);
  yield* hadTurn(needs);
  yield* holdSlots([{ ...waiter, needs }], book);
  if (ready) yield* enqueue([ready], true, now);
  else yield* tell([{ run: waiter.run, message }], now);
  return true;
}

function* holdSlots(
  holders: readonly (AttemptRef & { readonly needs: readonly LimitNeed[] })[],
  book: LimitBook,
): Operation<void> {
  yield* insert(
    limitSlotTable,
    holders.flatMap(({ needs, run, task, shard, number }) =>
      needs
        .filter(({ name }) => book.isBound(name))
        .map(({ name, owner = '' }) => ({ name, run, task, shard, number, owner })),
    ),
  );
}

function* wait(
  waiting: readonly { readonly asking: Asking; readonly limit: string }[],
  now: number,
): Operation<void> {
  const tokens = waiting.filter(({ asking }) => asking.ready).length;
  const numbers = (yield* newNumbers(tokens)).values();
  yield* insert(
    limitWaitTable,
    waiting.map(({ asking, limit }) => {
      const { needs, ready, message, run, task, shard, number } = asking;
      const { priority = 0, owner = '' } = needs.find(({ name }) => name === limit) ?? {};
      return {
        name: limit,
        owner,
        priority,
        seq: ready ? (numbers.next().value ?? run) : run,
        workflow: ready ? null : asking.workflow,
        run,
        task,
        shard,
        number,
        body: JSON.stringify({ needs, ready, message } satisfies WaitBody),
        since: now,
      };
    }),
  );
}
