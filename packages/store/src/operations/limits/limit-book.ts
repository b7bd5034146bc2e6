/**
 * The limits used by one operation, locked until it ends: their sizes and slot counts. Locks are taken in
 * name order; counts are written back once, at the end.
 */
import { ask, type Grant, type Limit } from '@orrery/core/admit';
import { batch, type Operation } from '../../operation.ts';

/** One slot that a holder needs. */
export interface LimitNeed {
  /** Name of the limit; a limit without a size is unbounded. */
  readonly name: string;
  /** The size, if the holder brings it: the concurrent runs that its workflow allows. */
  readonly slots?: number;
  /** Place in the wait list, smaller first; ties by age. */
  readonly priority?: number;
  /** Account for fairness: a wait list admits the account that holds the fewest slots. */
  readonly owner?: string;
}

/** Limits by name, as they stand within one operation. */
export class LimitBook {
  private readonly limits = new Map<string, { slots: number; held: number; before: number } | undefined>();

  /** Locks and reads limits; those already locked stay as they are. */
  *lock(names: Iterable<string>): Operation<void> {
    const wanted = [...new Set(names)].filter((name) => !this.limits.has(name)).sort();
    for (const name of wanted) this.limits.set(name, undefined);
    const { rows } = yield* batch<Limit>(
      {
        sqlite: 'SELECT name, slots, held FROM limit_size WHERE name = ?1',
        postgres: `SELECT name, slots, held FROM limit_size WHERE name = ANY (?1::text[]) ORDER BY name FOR UPDATE`,
      },
      ['text'],
      wanted.map((name) => [name]),
    );
    for (const { name, slots, held } of rows) this.limits.set(name, { slots, held, before: held });
  }

  /** Sets the sizes that holders bring, and locks the limits they need. */
  *open(needs: readonly LimitNeed[]): Operation<void> {
    const sizes = new Map<string, number>();
    for (const { name, slots } of needs) if (slots !== undefined) sizes.set(name, slots);
    yield* setSizes(sizes);
    yield* this.lock(needs.map(({ name }) => name));
  }

  /** Whether all needs can be met at once. */
  ask(needs: readonly LimitNeed[]): Grant {
    const known = new Map<string, Limit>();
    for (const { name } of needs) {
      const limit = this.limits.get(name);
      if (limit) known.set(name, { name, ...limit });
    }
    return ask(
      needs.map(({ name }) => name),
      known,
    );
  }

  /** Whether a limit has a size: only then its slots are counted. */
  isBound(name: string): boolean {
    return this.limits.get(name) !== undefined;
  }

  /** Number of free slots. */
  free(name: string): number {
    const limit = this.limits.get(name);
    return limit ? limit.slots - limit.held : Number.POSITIVE_INFINITY;
  }

  /** Adds taken slots, or removes them if negative. */
  count(name: string, taken: number): void {
    const limit = this.limits.get(name);
    if (limit) limit.held += taken;
  }

  /** Sets the count after a recount. */
  set(name: string, held: number): void {
    const limit = this.limits.get(name);
    if (limit) limit.held = held;
  }

  /** Writes changed counts. */
  *save(): Operation<void> {
    const changed: [string, number][] = [];
    for (const [name, limit] of this.limits) {
      if (!limit || limit.held === limit.before) continue;
      changed.push([name, limit.held]);
      limit.before = limit.held;
    }
    const types = ['text', 'int'] as const;
    yield* batch(
      {
        sqlite: 'UPDATE limit_size SET held = ?2 WHERE name = ?1',
        postgres: `UPDATE limit_size l SET held = k.held FROM unnest(?1::text[], ?2::int8[]) AS k(name, held) WHERE l.name = k.name`,
      },
      types,
      changed,
    );
  }
}

/** Sets the sizes of limits that differ. */
export function* setSizes(sizes: ReadonlyMap<string, number>): Operation<void> {
  const types = ['text', 'int'] as const;
  const upsert = `ON CONFLICT (name) DO UPDATE SET slots = excluded.slots WHERE limit_size.slots <> excluded.slots`;
  yield* batch(
    {
      sqlite: `INSERT INTO limit_size (name, slots, held) VALUES (?1, ?2, 0) ${upsert}`,
      postgres: `INSERT INTO limit_size (name, slots, held) SELECT k.name, k.slots, 0
        FROM unnest(?1::text[], ?2::int8[]) AS k(name, slots) ${upsert}`,
    },
    types,
    [...sizes].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
