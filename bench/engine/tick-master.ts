/**
 * A master in its own process that reports the lateness of its ticks and of the runs they start: by its own
 * clock, when the store has answered. Its parent sends `report` and gets a `TickReport`.
 */
import { StoreClock } from '@orrery/cluster';
import { realClock } from '@orrery/core/timing';
import { Master, masterDefaults } from '@orrery/master';
import { openPostgres, openSqliteThread, type Store } from '@orrery/store';
import pg from 'pg';

/** What a master has done. */
export interface TickReport {
  /** Milliseconds from the due time of each tick to the answer of the commit that fired it. */
  readonly ticks: readonly number[];
  /** The same to the creation of its run. */
  readonly runs: readonly number[];
  readonly lost: number;
  /** Statements that concern schedules and ticks, without beats; on SQLite operations. */
  readonly statements: number;
  readonly beats: number;
  readonly cpu: number;
  /** Bytes of the heap before and after its schedules were loaded. */
  readonly before: number;
  readonly after: number;
}

const [, , place, name] = process.argv;
const report = {
  ticks: [] as number[],
  runs: [] as number[],
  lost: 0,
  statements: 0,
  beats: 0,
  before: 0,
  after: 0,
};
const ABOUT_TICKS = /\bschedule\b|INTO tick\b/;
const BEAT = /SET beat\b/;
const operations = new Set<PropertyKey>([
  'dueSchedules',
  'lateSchedules',
  'readSchedules',
  'liveVersions',
  'editedSchedules',
  'fireTicks',
]);

const isPostgres = place.startsWith('postgres:');
if (isPostgres) countStatements();
const store = isPostgres ? await openPostgres({ url: place, name }) : await openSqliteThread(place);
const clock = realClock({ now: Date.now, monotonic: () => performance.now(), setTimeout, clearTimeout });
globalThis.gc?.();
report.before = process.memoryUsage().heapUsed;
const config = { ...masterDefaults, id: name, address: name, room: 1_000_000 };
const log = (level: string, text: string) => {
  if (level !== 'info') console.error(`${name} ${level}: ${text}`);
};
const master = await Master.start(config, { clock: new StoreClock(clock), store: watched(store), log });
process.send?.('started');

process.on('message', async (message) => {
  if (message === 'weigh') {
    globalThis.gc?.();
    report.after = process.memoryUsage().heapUsed;
    return;
  }
  const { user, system } = process.cpuUsage();
  process.send?.({ ...report, cpu: (user + system) / 1_000 } satisfies TickReport);
  await master.stop();
  await store.close();
  process.disconnect();
});

/** Notes what the master's operations answer. */
function watched(inner: Store): Store {
  const over: Partial<Store> = {
    fireTicks: async (input) => {
      const answer = await inner.fireTicks(input);
      const now = Date.now();
      input.schedules.forEach(({ ticks }, k) => {
        if (answer.outcomes[k].outcome === 'lost') report.lost++;
        if (answer.outcomes[k].outcome === 'fired') for (const { due } of ticks) report.ticks.push(now - due);
      });
      return answer;
    },
    claimWork: async (input) => {
      const answer = await inner.claimWork(input);
      const now = Date.now();
      for (const { command } of answer.starts) report.runs.push(now - command.request.businessTime);
      return answer;
    },
  };
  return new Proxy(inner, {
    get(target, key) {
      const found = over[key as keyof Store] ?? Reflect.get(target, key);
      if (isPostgres || (key !== 'beat' && !operations.has(key))) return found;
      return (...input: never[]) => {
        if (key === 'beat') report.beats++;
        else report.statements++;
        return (found as (...input: never[]) => unknown)(...input);
      };
    },
  });
}

function countStatements(): void {
  const { query } = pg.Client.prototype as { query: (...input: unknown[]) => unknown };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...input: unknown[]) {
      const [first] = input;
      const text = typeof first === 'string' ? first : (first as { text?: string } | undefined)?.text;
      if (text !== undefined && BEAT.test(text)) report.beats++;
      else if (text !== undefined && ABOUT_TICKS.test(text)) report.statements++;
      return query.apply(this, input);
    },
  });
}
