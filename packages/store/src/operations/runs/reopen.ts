/**
 * Controls of runs that have ended. Under a limit, a rerun or a recovery needs the run's slots again before
 * its message is delivered: until then the message waits in the limit's list, and freeing a slot sends it. A
 * stop withdraws a waiting message.
 */
import type { RunAdmission } from '@orrery/core/admit';
import { type Control, reopens } from '@orrery/core/run/events';
import { batch, type Operation } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { admitNext, askLimits, pausePlaces, runHolder } from '../limits/admission.ts';
import { LimitBook, type LimitNeed } from '../limits/limit-book.ts';
import { claimPeriod, whyTaken } from '../limits/periods.ts';
import { capNeeds, setCaps } from '../limits/run-caps.ts';
import { withdrawWaiting } from '../limits/wait-list.ts';
import { type InboxMessage, tell } from './inbox.ts';

/** A control as its owner receives it. */
export type ControlMessage = Extract<InboxMessage, { type: 'control' }>;

/** A control and its run. */
export interface AskedControl {
  readonly run: number;
  readonly message: ControlMessage;
}

/** Controls that were not delivered at once. */
export interface ControlsHeld {
  /** Runs whose rerun or recovery waits for a slot. */
  readonly waiting: ReadonlySet<number>;
  /** Runs that cannot be reopened, with the reason. */
  readonly refused: ReadonlyMap<number, string>;
}

/** Delivers controls to runs, or queues those that reopen a run. */
export function* tellControls(asked: readonly AskedControl[], now: number): Operation<ControlsHeld> {
  const of = (...types: readonly Control['type'][]) =>
    asked.filter(({ message }) => types.includes(message.control.type));
  const held = yield* tellReopening(of('rerun', 'recover'), now);
  const stops = of('stop');
  const back = yield* takeBack(
    stops.map(({ run }) => run),
    now,
  );
  yield* tell(
    stops.map(({ run, message }) => ({
      run,
      message: back.has(run) ? { ...message, tookBack: true } : message,
    })),
    now,
  );
  const rest = asked.filter(({ message: { control } }) => !reopens(control) && control.type !== 'stop');
  const goingOn = yield* pauseWaiting(rest, now);
  yield* tell(
    rest.filter(({ run }) => !goingOn.has(run)),
    now,
  );
  return held;
}

/**
 * Makes waiting runs be passed over while they are paused, from this moment on: resuming them must find them
 * at their place. Returns ended children that wait to continue. They must not get the message, which would
 * meet their earlier end; their parents get it.
 */
function* pauseWaiting(asked: readonly AskedControl[], now: number): Operation<ReadonlySet<number>> {
  const rests = asked.filter(({ message }) => isRest(message.control));
  const ended = yield* endedAmong(rests.map(({ run }) => run));
  const over = new Set(ended.map(({ run }) => run));
  const paused = new Map(
    rests
      .filter(({ run, message }) => message.by === 'parent' || !over.has(run))
      .map(({ run, message }) => [run, message.control.type === 'pause'] as const),
  );
  const still = yield* pausePlaces(
    [...paused].map(([run, is]) => ({ run, paused: is })),
    now,
  );
  const goingOn = ended.filter(({ run }) => still.has(run));
  yield* tell(
    goingOn.filter(({ run }) => paused.get(run)).flatMap((child) => forParent(child, { state: 'paused' })),
    now,
  );
  return new Set(goingOn.map(({ run }) => run));
}

function isRest({ type }: Control): boolean {
  return type === 'pause' || type === 'resume';
}

/** The message to a child's parent, if it has one. */
function forParent(
  { run, parent, parent_task: task, parent_round: round, parent_element: element }: Ended,
  is: { readonly state: 'paused' | 'failed'; readonly reason?: string },
): { run: number; message: InboxMessage }[] {
  if (parent === null) return [];
  return [{ run: parent, message: { type: 'child', task, round, element, run, ...is } }];
}

function* tellReopening(asked: readonly AskedControl[], now: number): Operation<ControlsHeld> {
  const messages = new Map(asked.map(({ run, message }) => [run, message]));
  const ended = yield* endedAmong([...messages.keys()]);
  const over = new Set(ended.map(({ run }) => run));
  const limited = yield* limitedOf(ended);
  const places = yield* placesOf([...limited.keys()]);
  const refused = yield* refuseTaken(ended, messages, now);
  const direct: AskedControl[] = [];
  const asking: (AskedControl & ReturnType<typeof runHolder> & Limited)[] = [];
  for (const [run, sent] of [...messages].sort(([a], [b]) => a - b)) {
    const needed = limited.get(run);
    const place = places.get(run);
    const message = over.has(run) ? { ...sent, admitted: true } : sent;
    if (refused.has(run)) continue;
    if (!needed) direct.push({ run, message });
    else if (place !== undefined) refused.set(run, whyNotTwice[place]);
    else asking.push({ ...runHolder(run), ...needed, message });
  }
  const grants = yield* askLimits(asking, now);
  yield* tell([...direct, ...asking.filter((_, k) => grants[k].granted)], now);
  const waiting = asking.filter((_, k) => !grants[k].granted).map(({ run }) => run);
  return { waiting: new Set(waiting), refused };
}

/** Runs that cannot be reopened because another run has their business time, with the reason. */
function* refuseTaken(
  ended: readonly Ended[],
  messages: ReadonlyMap<number, ControlMessage>,
  now: number,
): Operation<Map<number, string>> {
  const refused = new Map<number, string>();
  for (const one of ended) {
    const { run, workflow, business_time: businessTime } = one;
    const { onePerPeriod, dryRun } = readOr<{ onePerPeriod?: boolean; dryRun?: boolean }>(one.request, {});
    if (!onePerPeriod || dryRun) continue;
    const taken = yield* claimPeriod({ workflow, businessTime, run });
    if (taken === undefined) continue;
    refused.set(run, whyTaken(taken));
    if (messages.get(run)?.by === 'parent')
      yield* tell(forParent(one, { state: 'failed', reason: whyTaken(taken) }), now);
  }
  return refused;
}

const whyNotTwice = {
  waits: 'a rerun or a recovery of this run waits for a slot already; stop takes it back',
  holds: 'a rerun or a recovery of this run is about to begin',
} as const;

/** Withdraws reruns and recoveries from their wait lists; returns the runs that had one. */
function* takeBack(runs: readonly number[], now: number): Operation<ReadonlySet<number>> {
  const ended = yield* endedAmong(runs);
  const gone = yield* withdrawWaiting(ended.map(({ run }) => runHolder(run)));
  const limited = yield* limitedOf(ended.filter(({ run }) => gone.some((one) => one.run === run)));
  // The next run of its workflow may have waited only for it.
  const lines = gone.flatMap(({ run }) => limited.get(run)?.needs.slice(0, 1) ?? []);
  yield* admitNext(new LimitBook(), new Set(lines.map(({ name }) => name)), now);
  return new Set(gone.map(({ run }) => run));
}

interface Ended {
  readonly run: number;
  readonly workflow: number;
  readonly request: string;
  readonly business_time: number;
  readonly priority: number;
  readonly parent: number | null;
  readonly parent_task: number;
  readonly parent_round: number;
  readonly parent_element: number;
}

/** Slots a run needs to be open and, if its workflow has a limit, the line it belongs to. */
interface Limited {
  readonly workflow: number | null;
  readonly needs: readonly LimitNeed[];
}

/** Those of the runs that have ended, locked so that concurrent callers take turns. */
function* endedAmong(runs: readonly number[]): Operation<readonly Ended[]> {
  const columns =
    'id AS run, workflow, request, business_time, priority, parent, parent_task, parent_round, parent_element';
  const { rows } = yield* batch<Ended>(
    {
      sqlite: `SELECT ${columns} FROM run WHERE id = ?1 AND ended_at IS NOT NULL`,
      postgres: `SELECT ${columns} FROM run
        WHERE id = ANY (?1::int8[]) AND ended_at IS NOT NULL ORDER BY id FOR UPDATE`,
    },
    ['int'],
    runs.map((run) => [run]),
  );
  return rows;
}

/** Those under limits: their workflows' limits as recorded, and the caps set now. */
function* limitedOf(ended: readonly Ended[]): Operation<ReadonlyMap<number, Limited>> {
  const runs = ended.map(({ run, workflow, request, priority, parent }) => {
    const { admission, tenant } = readOr<{ admission?: RunAdmission; tenant?: string }>(request, {});
    const own = admission?.needs.filter(({ slots }) => slots !== undefined) ?? [];
    return { run, workflow, own, tenant, priority, parent: parent === null ? undefined : { run: parent } };
  });
  const set = yield* setCaps(runs);
  return new Map(
    runs.flatMap((one) => {
      const { run, workflow, own } = one;
      const needs: LimitNeed[] = [...own, ...capNeeds(one).filter(({ name }) => set.has(name))];
      return needs.length === 0
        ? []
        : [[run, { workflow: own.length > 0 ? workflow : null, needs }] as const];
    }),
  );
}

/** Current places of runs in limits. */
function* placesOf(runs: readonly number[]): Operation<ReadonlyMap<number, 'holds' | 'waits'>> {
  const { rows: places } = yield* batch<{ run: number; place: 'holds' | 'waits' }>(
    {
      sqlite: `SELECT run, 'waits' AS place FROM limit_wait WHERE run = ?1 AND task = -1
        UNION ALL SELECT run, 'holds' FROM limit_slot WHERE run = ?1 AND task = -1`,
      postgres: `SELECT run, 'waits' AS place FROM limit_wait WHERE run = ANY (?1::int8[]) AND task = -1
        UNION ALL SELECT run, 'holds' FROM limit_slot WHERE run = ANY (?1::int8[]) AND task = -1`,
    },
    ['int'],
    runs.map((run) => [run]),
  );
  return new Map(places.map(({ run, place }) => [run, place]));
}
