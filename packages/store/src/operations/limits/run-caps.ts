/**
 * Caps on open runs: one for all runs together, and one per tenant. A run without a parent needs a slot of
 * each cap that is set; its children are covered by its slots. Tenants share the overall cap by weight.
 */
import { limitsOfRun } from '@orrery/core/admit';
import { batch, type Operation } from '../../operation.ts';
import type { Command } from '../runs/commands.ts';
import { readSetting, type SettingRow } from '../workflows/cluster-settings.ts';
import type { LimitNeed } from './limit-book.ts';

/** The settings: null means no cap; a tenant not listed has no cap and weight 1. */
export interface RunCaps {
  readonly runs: number | null;
  readonly tenants: Readonly<Record<string, { readonly runs: number | null; readonly weight: number }>>;
}

const none: RunCaps = { runs: null, tenants: {} };

/** The current caps. */
export function* readRunCaps(): Operation<SettingRow<RunCaps>> {
  return yield* readSetting<RunCaps>('limits', none);
}

/** The attributes of a run that determine its caps and its place in a wait list. */
interface Capped {
  readonly tenant?: string;
  readonly priority: number;
  /** Set for a child run: its parent's slots cover it. */
  readonly parent?: object;
}

/** The slots a run needs of all caps that apply, set or not. */
export function capNeeds({ tenant = 'default', priority, parent }: Capped): LimitNeed[] {
  const [, ...caps] = limitsOfRun({ project: '', workflow: '', tenant, child: parent !== undefined });
  return caps.map((name) => ({ name, priority, owner: name === ALL ? tenant : '' }));
}

/** The names of the set caps that apply to these runs. */
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
 * Adds the slots of caps to a start command. If it may have to wait for its workflow, it asks for all caps
 * that apply, since some may be set while it waits.
 */
export function underCaps(command: Command, set: ReadonlySet<string>): Command {
  const { mode, needs } = command.admission ?? { mode: 'parallel', needs: [] };
  const caps = capNeeds(command).filter(({ name }) => needs.length > 0 || set.has(name));
  return caps.length === 0 ? command : { ...command, admission: { mode, needs: [...needs, ...caps] } };
}

/** The weight of each tenant for the overall cap. */
export function* weightsOf(name: string): Operation<ReadonlyMap<string, number>> {
  if (name !== ALL) return new Map();
  const { value } = yield* readRunCaps();
  return new Map(Object.entries(value.tenants).map(([tenant, { weight }]) => [tenant, weight]));
}

/** The cap of all runs. */
export const [, , ALL] = limitsOfRun({ project: '', workflow: '', tenant: '', child: false });
