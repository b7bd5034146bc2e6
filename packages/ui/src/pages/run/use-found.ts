/** Which tasks of a run are looked for. */
import { useMemo } from 'react';
import type { RunTasks } from '../../model/run.ts';

/** Tasks that are looked for by name, type or reason, or by state. */
export function useFound(
  tasks: RunTasks,
  find: string | undefined,
  states: readonly string[] | undefined,
): ReadonlySet<number> | null {
  return useMemo(() => {
    if (find === undefined && states === undefined) return null;
    const wanted = find?.toLowerCase() ?? '';
    return new Set(
      tasks.tasks.flatMap(({ index, name, type, reason, state }) =>
        (states === undefined || states.includes(state)) &&
        `${name} ${type} ${reason ?? ''}`.toLowerCase().includes(wanted)
          ? [index]
          : [],
      ),
    );
  }, [tasks, find, states]);
}
