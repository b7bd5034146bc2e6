/**
 * Counts open runs under caps: each run without a parent holds a slot of each cap that is set, whatever the
 * cap's size. Claims do this for new runs; this module does it for runs that were already open and for
 * reopened ones.
 */
import { batch, type Operation, row, rows } from '../../operation.ts';
import { askLimits, runHolder } from './admission.ts';
import { capNeeds, setCaps } from './run-caps.ts';

/** Open runs processed by one statement. */
const PAGE = 1_000;

/** Whether caps were ever set. Usually they were not, and nothing needs counting. */
export function* hasCaps(): Operation<boolean> {
  return (yield* row(`SELECT 1 FROM cluster_setting WHERE name = 'limits'`)) !== undefined;
}

/**
 * Counts all open runs. Only while no master writes: otherwise it would miss runs that begin or end
 * meanwhile.
 */
export function* countOpenRuns(now: number): Operation<void> {
  for (let after = 0; ; ) {
    const page = yield* rows<{ id: number }>(
      'SELECT id FROM run WHERE standing = 0 AND id > ?1 ORDER BY id LIMIT ?2',
      after,
      PAGE,
    );
    yield* countRuns(
      page.map(({ id }) => id),
      now,
    );
    if (page.length < PAGE) return;
    after = page[PAGE - 1].id;
  }
}

/** Gives open runs the slots they lack. Waiting runs get theirs from their list. */
export function* countRuns(runs: readonly number[], now: number): Operation<void> {
  const open = yield* uncounted(runs);
  const set = yield* setCaps(open);
  const lacking = open.map((run) => ({
    ...runHolder(run.id),
    workflow: null,
    forced: true,
    needs: capNeeds(run).filter(({ name }) => set.has(name) && !run.holds.has(name)),
  }));
  yield* askLimits(
    lacking.filter(({ needs }) => needs.length > 0),
    now,
  );
}

interface OpenRun {
  readonly id: number;
  readonly tenant?: string;
  readonly priority: number;
  readonly holds: ReadonlySet<string>;
}

/** The open runs without a parent that wait in no list, with the names of the slots they hold. */
function* uncounted(runs: readonly number[]): Operation<readonly OpenRun[]> {
  const open = `standing = 0 AND parent IS NULL
    AND NOT EXISTS (SELECT 1 FROM limit_wait w WHERE w.run = run.id AND w.task = -1)`;
  const list = runs.map((run) => [run]);
  const found = yield* batch<{ id: number; request: string; priority: number }>(
    {
      sqlite: `SELECT id, request, priority FROM run WHERE id = ?1 AND ${open}`,
      postgres: `SELECT id, request, priority FROM run WHERE id = ANY (?1::int8[]) AND ${open} ORDER BY id`,
    },
    ['int'],
    list,
  );
  const held = yield* batch<{ run: number; name: string }>(
    {
      sqlite: 'SELECT run, name FROM limit_slot WHERE run = ?1 AND task = -1',
      postgres: 'SELECT run, name FROM limit_slot WHERE run = ANY (?1::int8[]) AND task = -1',
    },
    ['int'],
    list,
  );
  const holds = Map.groupBy(held.rows, ({ run }) => run);
  return found.rows.map(({ id, request, priority }) => ({
    id,
    tenant: (JSON.parse(request) as { tenant?: string }).tenant,
    priority,
    holds: new Set(holds.get(id)?.map(({ name }) => name)),
  }));
}
