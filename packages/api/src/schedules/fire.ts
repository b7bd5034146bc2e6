/**
 * Fires a schedule by hand: starts the run that a tick now would start, and records who requested it. No due
 * time is used up.
 */
import { type NamedSchedule, startCommand } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { findStartable } from '../workflows/find.ts';

/** Queues the run, or finds the one that the same key has started before. */
export async function fireSchedule(
  { store, clock, hints, backlog }: Context,
  schedule: NamedSchedule,
  key: string | undefined,
  { name: by }: Identity,
): Promise<{ readonly run: number; readonly repeated: boolean }> {
  await backlog.check();
  const { id, project, workflowName, name, spec } = schedule;
  const live = await findStartable(store, { project, name: workflowName }, 'not-found');
  const { params, priority, timezone } = spec;
  const now = clock.now();
  const started = await store.submitCommand({
    command: startCommand(live, { trigger: 'manual', businessTime: now, params, priority, timezone }),
    // Keys of run starts contain no blank, so one key may be used for both.
    key: key && `fire ${id} ${key}`,
    audited: { by, action: 'schedule.fire', subject: `${project}/${workflowName} ${name}` },
    now,
  });
  if (!started.repeated) hints.commandsQueued();
  return started;
}
