/** The settings in force at the masters that are alive, and whether those that must be the same are. */
import { type Connection, connect } from '../client/connect.ts';
import type { Finding } from './checks.ts';
import type { Setting } from './settings.ts';

/** Masters that differ in these judge each other and their workers by different times. */
const SHARED = ['sessionTimeout', 'lease', 'cluster', 'onRegistryLoss'] as const;

/** Reads them; nothing where no server answers. */
export async function settingsInForce(
  connection: Connection,
): Promise<{ readonly settings: readonly Setting[]; readonly check: Finding | undefined }> {
  const nodes = await connect(connection)
    .listNodes()
    .catch(() => undefined);
  const masters = (nodes?.masters ?? []).filter(
    ({ state, roles }) => state !== 'gone' && roles.includes('master'),
  );
  const settings = masters.flatMap(({ id, settings }) =>
    Object.entries(settings ?? {}).map(([name, value]) => ({
      name: `${id}.${name}`,
      value,
      source: 'in force',
    })),
  );
  if (masters.length === 0) return { settings, check: undefined };
  const differ = SHARED.filter((name) => new Set(masters.map((one) => one.settings?.[name])).size > 1);
  const text =
    differ.length === 0
      ? 'session timeout and lease are the same at all of them'
      : `${differ.join(' and ')} differ; give all masters the same`;
  return { settings, check: { name: 'masters', ok: differ.length === 0, text } };
}
