/** Changes the caps on open runs. */
import { limitsOfRun } from '@orrery/core/admit';
import type { Operation } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { holdMasters } from '../cluster/self.ts';
import { type SettingRow, writeSetting } from '../workflows/cluster-settings.ts';
import { countOpenRuns } from './counted-runs.ts';
import { setSizes } from './limit-book.ts';
import { setLimit } from './limits.ts';
import { ALL, type RunCaps, readRunCaps } from './run-caps.ts';

/**
 * Replaces the caps, counts open runs under new ones, and admits runs that now fit. With a revision, only if
 * the caps have not changed since that revision.
 */
export function* setRunCaps(input: {
  readonly caps: RunCaps;
  readonly revision?: number;
  readonly by: string;
  readonly now: number;
}): Operation<SettingRow<RunCaps>> {
  const { caps, revision, by, now } = input;
  // No run begins or ends from here until the commit, so the open ones can be counted.
  yield* holdMasters();
  const { value: earlier } = yield* readRunCaps();
  const before = sizesOf(earlier);
  const after = sizesOf(caps);
  const written = yield* writeSetting('limits', caps, revision);
  const first = [...after].filter(([name]) => !before.has(name));
  yield* setSizes(new Map(first));
  if (first.length > 0) yield* countOpenRuns(now);
  for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const slots = after.get(name) ?? null;
    if (slots !== (before.get(name) ?? null)) yield* setLimit({ name, slots, now });
  }
  yield* audit(by, 'limits.set', 'open runs', { before: earlier, after: caps }, now);
  return written;
}

/** Slots by limit name. */
function sizesOf({ runs, tenants }: RunCaps): Map<string, number> {
  const sizes = new Map<string, number>();
  if (runs !== null) sizes.set(ALL, runs);
  for (const [tenant, { runs: slots }] of Object.entries(tenants))
    if (slots !== null) sizes.set(tenantCap(tenant), slots);
  return sizes;
}

/** The cap of a tenant. */
function tenantCap(tenant: string): string {
  return limitsOfRun({ project: '', workflow: '', tenant, child: false })[1];
}
