/** How worker groups choose a worker for an attempt, and the data for that choice. */
import type { GroupChoice } from '@orrery/core/queue';
import { change, type Operation, row, rows } from '../../operation.ts';
import { audit } from '../access/audit.ts';

/** Choice setting of a group. */
export interface WorkerGroupChoice {
  readonly choose: GroupChoice;
  /** Weights of workers by name; default 1. */
  readonly weights: Readonly<Record<string, number>>;
}

/** The setting with the group's name. */
export interface WorkerChoiceRow extends WorkerGroupChoice {
  readonly name: string;
}

interface Stored {
  readonly name: string;
  readonly choose: GroupChoice;
  readonly weights: string;
}

/** All stored settings, by group name. */
export function* listWorkerChoices(): Operation<WorkerChoiceRow[]> {
  const found = yield* rows<Stored>('SELECT name, choose, weights FROM worker_group ORDER BY name');
  return found.map(read);
}

/** Sets how a group chooses; applies to attempts that become ready from now on. */
export function* setWorkerChoice(
  input: WorkerGroupChoice & { readonly name: string; readonly by: string; readonly now: number },
): Operation<WorkerChoiceRow> {
  const { name, choose, weights, by, now } = input;
  yield* change(
    `INSERT INTO worker_group (name, projects, revision, changed_at) VALUES (?1, '[]', 0, ?2) ON CONFLICT DO NOTHING`,
    name,
    now,
  );
  const before = yield* row<Stored>('SELECT name, choose, weights FROM worker_group WHERE name = ?1', name);
  yield* change(
    'UPDATE worker_group SET choose = ?2, weights = ?3, revision = revision + 1, changed_at = ?4 WHERE name = ?1',
    name,
    choose,
    JSON.stringify(weights),
    now,
  );
  const text = (one: WorkerGroupChoice) => `${one.choose} ${JSON.stringify(one.weights)}`;
  const detail = { before: text(before ? read(before) : input), after: text(input) };
  yield* audit(by, 'worker-group.choose', name, detail, now);
  return { name, choose, weights };
}

/** A worker that takes work, with its attempts and those queued only for it. */
export interface WorkerUseRow {
  readonly id: string;
  /** JSON: a list of names. */
  readonly groups: string;
  readonly slots: number;
  /** JSON: metrics by name. */
  readonly load: string;
  readonly used: number;
}

/** All workers that take work. */
export function* readWorkerUse(): Operation<readonly WorkerUseRow[]> {
  return yield* rows<WorkerUseRow>(
    `SELECT w.id, w.groups, w.slots, w.load,
       (SELECT count(*) FROM assignment a WHERE a.worker = w.id) +
       (SELECT count(*) FROM ready r WHERE r.target = w.id) AS used
     FROM worker w WHERE w.lost = 0 AND w.draining = 0 AND w.unhealthy IS NULL ORDER BY w.id`,
  );
}

function read({ weights, ...rest }: Stored): WorkerChoiceRow {
  return { ...rest, weights: JSON.parse(weights) };
}
