/**
 * Caps on open runs: one for all together, and one for each tenant. A run that no other run has started needs a slot of
 * each cap that is set; its children stand under its slots. Between tenants the cap of all is shared by weight.
 */
import { limitsOfRun } from '@orrery/core/admit';
import { batch, type Operation } from '../operation.ts';
import { readSetting, type SettingRow } from './cluster-settings.ts';
import type { Command } from './commands.ts';

/** What is set: null is no cap; a tenant that is not named has none, and weight 1. */
export interface RunCaps {
  readonly runs: number | null;
  readonly tenants: Readonly<Record<string, { readonly runs: number | null; readonly weight: number }>>;
}

const none: RunCaps = { runs: null, tenants: {} };

/** The caps as they are set. */
export function* readRunCaps(): Operation<SettingRow<RunCaps>> {
  return yield* readSetting<RunCaps>('limits', none);
}

/** The caps that are set of those that runs of these commands stand under. */
export function* capsOver(commands: readonly Command[]): Operation<ReadonlySet<string>> {
  const names = new Set(commands.flatMap((command) => capsOf(command)));
  const { rows } = yield* batch<{ name: string }>(
    {
      sqlite: 'SELECT name FROM limit_size WHERE name = ?1',
      postgres: 'SELECT name FROM limit_size WHERE name = ANY (?1::text[])',
    },
    ['text'],
    [...names].map((name) => [name]),
  );
  return new Set(rows.map(({ name }) => name));
}

/** A command whose run also needs a slot of each of these caps that it stands under. */
export function underCaps(command: Command, set: ReadonlySet<string>): Command {
  const caps = capsOf(command).filter((name) => set.has(name));
  if (caps.length === 0) return command;
  const { mode, needs } = command.admission ?? { mode: 'parallel', needs: [] };
  const { priority, tenant = 'default' } = command;
  const more = caps.map((name) => ({ name, priority, owner: name === ALL ? tenant : '' }));
  return { ...command, admission: { mode, needs: [...needs, ...more] } };
}

/** How much more than others each tenant may hold of the cap of all. */
export function* weightsOf(name: string): Operation<ReadonlyMap<string, number>> {
  if (name !== ALL) return new Map();
  const { value } = yield* readRunCaps();
  return new Map(Object.entries(value.tenants).map(([tenant, { weight }]) => [tenant, weight]));
}

/** The cap of all runs. */
export const [, , ALL] = limitsOfRun({ project: '', workflow: '', tenant: '', child: false });

function capsOf({ project, name, tenant = 'default', parent }: Command): string[] {
  return limitsOfRun({ project, workflow: name, tenant, child: parent !== undefined }).slice(1);
}
