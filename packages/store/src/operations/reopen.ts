/**
 * Reruns and recoveries of runs that have ended: under a limit such a run needs its slots again before it may be
 * told. Until it has them the message waits in the list of the limit, and whoever frees a slot sends it.
 */
import type { RunAdmission } from '@orrery/core/admit';
import { batch, type Operation } from '../operation.ts';
import { askLimits, runHolder } from './admission.ts';
import { type InboxMessage, tell } from './inbox.ts';

type ControlMessage = Extract<InboxMessage, { type: 'control' }>;

interface Ended {
  readonly run: number;
  readonly workflow: number;
  readonly request: string;
}

/** Sends a rerun or a recovery to these runs; those that must wait for a slot are answered. */
export function* tellReopening(
  runs: readonly number[],
  message: ControlMessage,
  now: number,
): Operation<ReadonlySet<number>> {
  const limited = yield* limitedAmong(runs);
  const placed = yield* placesOf([...limited.keys()]);
  const waiting = new Set<number>();
  const messages: { run: number; message: ControlMessage }[] = [];
  for (const run of runs) {
    const ended = limited.get(run);
    const place = placed.get(run);
    // Where it holds its slots already, it was asked before: its owner refuses the second.
    if (!ended || place === 'holds') messages.push({ run, message });
    else if (place === 'waits') waiting.add(run);
    else {
      const { workflow, admission } = ended;
      const told = { ...message, admitted: true };
      const asking = { ...runHolder(run), workflow, needs: admission.needs, message: told };
      const [grant] = yield* askLimits([asking], now);
      if (grant.granted) messages.push({ run, message: told });
      else waiting.add(run);
    }
  }
  yield* tell(messages, now);
  return waiting;
}

/** Those of the runs that have ended and are admitted by limits. Locked, so that two who ask take turns. */
function* limitedAmong(
  runs: readonly number[],
): Operation<Map<number, { readonly workflow: number; readonly admission: RunAdmission }>> {
  const { rows: ended } = yield* batch<Ended>(
    {
      sqlite: 'SELECT id AS run, workflow, request FROM run WHERE id = ?1 AND ended_at IS NOT NULL',
      postgres: `SELECT id AS run, workflow, request FROM run
        WHERE id = ANY (?1::int8[]) AND ended_at IS NOT NULL ORDER BY id FOR UPDATE`,
    },
    ['int'],
    runs.map((run) => [run]),
  );
  const limited = new Map<number, { workflow: number; admission: RunAdmission }>();
  for (const { run, workflow, request } of ended) {
    const { admission } = JSON.parse(request) as { admission?: RunAdmission };
    if (admission) limited.set(run, { workflow, admission });
  }
  return limited;
}

/** Where runs stand in limits already. */
function* placesOf(runs: readonly number[]): Operation<Map<number, 'holds' | 'waits'>> {
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
