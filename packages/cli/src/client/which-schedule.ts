/** Which schedule a command means: by its number, or by its workflow and its name. */
import { InvalidInput } from '@orrery/core/errors';
import type { Client } from '@orrery/sdk/client';
import { numberOf } from './connect.ts';
import { nameOf } from './workflow-name.ts';

/** The number of a schedule: `12`, `hello daily`, `etl/hello daily`, or `hello` where it has only one. */
export async function scheduleOf(client: Client, given: string, name: string | undefined): Promise<number> {
  if (name === undefined && /^\d+$/.test(given)) return numberOf(given, 'a schedule');
  const { project, name: workflow } = nameOf(given);
  const written = `${project}/${workflow}`;
  const { schedules } = await client.listSchedules({ workflow: written, limit: 1_000 });
  const names = schedules.map((schedule) => schedule.name);
  const found =
    name === undefined && schedules.length === 1
      ? schedules[0]
      : schedules.find((schedule) => schedule.name === name);
  if (found) return found.id;
  if (names.length === 0) throw new InvalidInput(`workflow ${written} has no schedule`);
  throw new InvalidInput(
    name === undefined
      ? `workflow ${written} has ${names.length} schedules; say which: ${names.join(', ')}`
      : `workflow ${written} has no schedule "${name}"; it has ${names.join(', ')}`,
  );
}
