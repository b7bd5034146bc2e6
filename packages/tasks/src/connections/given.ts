/** The connection that a task names, as a worker was given it. */
import { type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { connectionKinds } from './kinds.ts';

/** A connection of one of these kinds; any other is a fatal failure. */
export function givenConnection(
  { connection }: Pick<TaskContext<unknown>, 'connection'>,
  name: string,
  kinds: readonly string[],
): { readonly kind: string; readonly settings: Record<string, unknown> } {
  const { kind, settings } = connection(name);
  if (!kinds.includes(kind))
    throw new TaskFailure(`connection "${name}" is of kind ${kind}; this task needs ${kinds.join(' or ')}`, {
      fatal: true,
    });
  const { success, data, error } = connectionKinds.get(kind)?.given.safeParse(settings) ?? {};
  if (success && data) return { kind, settings: data };
  const wrong = error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new TaskFailure(`connection "${name}": ${wrong ?? `this worker does not know kind ${kind}`}`, {
    fatal: true,
  });
}
