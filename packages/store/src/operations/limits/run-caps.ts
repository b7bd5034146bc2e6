/**
 * Caps on open runs: one for all together, and one for each tenant. A run that no other run has started needs a slot of
 * each cap that is set; its children stand under its slots. Between tenants the cap of all is shared by weight.
 */
import { limitsOfRun } from '@orrery/core/admit';
import { batch, type Operation } from '../../operation.ts';
import type { Command } from '../runs/commands.ts';
import { readSetting, type SettingRow } from '../workflows/cluster-settings.ts';
import type { LimitNeed } from './limit-book.ts';

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

/** Whose run it is, and how it stands in a wait list. */
interface Capped {
  readonly tenant?: string;
  readonly priority: number;
  /** Set where another run has started it: then it stands under the slots of that one. */
  readonly parent?: object;
}

/** The slots that a run needs of the caps it stands under, whether they are set or not. */
export function capNeeds({ tenant = 'default', priority, parent }: Capped): LimitNeed[] {
  const [, ...caps] = limitsOfRun({ project: '', workflow: '', tenant, child: parent !== undefined });
  return caps.map((name) => ({ name, priority, owner: name === ALL ? tenant : '' }));
}

/** The names of caps that are set, of those that such runs stand under. */
export function* setCaps(runs: readonly Capped[]): Operation<ReadonlySet<string>> {
  const names = new Set(runs.flatMap((run) => capNeeds(run).map(({ name }) => name)));
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

/**
 * A command whose run also needs slots of caps. One that may have to wait for its workflow asks for all it stands
 * under: some may be set while it waits.
 */
export function underCaps(command: Command, set: ReadonlySet<string>): Command {
  const { mode, needs } = command.admission ?? { mode: 'parallel', needs: [] };
  const caps = capNeeds(command).filter(({ name }) => needs.length > 0 || set.has(name));
  return caps.length === 0 ? command : { ...command, admission: { mode, needs: [...needs, ...caps] } };
}

/** How much more than others each tenant may hold of the cap of all. */
export function* weightsOf(name: string): Operation<ReadonlyMap<string, number>> {
  if (name !== ALL) return new Map();
  const { value } = yield* readRunCaps();
  return new Map(Object.entries(value.tenants).map(([tenant, { weight }]) => [tenant, weight]));
}

/** The cap of all runs. */
export const [, , ALL] = limitsOfRun({ project: '', workflow: '', tenant: '', child: false });
