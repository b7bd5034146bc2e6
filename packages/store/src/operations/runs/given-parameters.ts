/** Parameters given to runs: those of their project, with those of all projects as defaults. */
import type { Parameters } from '@orrery/core/model';
import type { GivenParameters } from '@orrery/core/run';
import { batch, type Operation, row, together } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { readSetting, type SettingRow, writeSetting } from '../workflows/cluster-settings.ts';
import { appendEvents } from './feed.ts';

/** Current parameters of these projects' runs; a project without any is left out. */
export function* givenTo(projects: Iterable<string>): Operation<ReadonlyMap<string, GivenParameters>> {
  const names = [...new Set(projects)];
  if (names.length === 0) return new Map();
  const set = `params <> '{}'`;
  const [{ rows: own }, shared] = yield* together(
    batch<{ name: string; params: string }>(
      {
        sqlite: `SELECT name, params FROM project WHERE name = ?1 AND ${set}`,
        postgres: `SELECT name, params FROM project WHERE name = ANY (?1::text[]) AND ${set}`,
      },
      ['text'],
      names.map((name) => [name]),
    ),
    row<{ body: string }>(`SELECT body FROM cluster_setting WHERE name = 'params' AND body <> '{}'`),
  );
  const cluster = shared && (JSON.parse(shared.body) as Parameters);
  const given = new Map<string, GivenParameters>();
  if (cluster) for (const name of names) given.set(name, { cluster });
  for (const { name, params } of own) given.set(name, { ...given.get(name), project: JSON.parse(params) });
  return given;
}

/** The parameters of all projects. */
export function* readClusterParams(): Operation<SettingRow<Parameters>> {
  return yield* readSetting<Parameters>('params', {});
}

/**
 * Replaces the parameters of all projects. With a revision, only if they have not changed since that
 * revision.
 */
export function* setClusterParams(input: {
  readonly params: Parameters;
  readonly revision?: number;
  readonly by: string;
  readonly now: number;
}): Operation<SettingRow<Parameters>> {
  const { params, revision, by, now } = input;
  const { value: before } = yield* readClusterParams();
  const written = yield* writeSetting('params', params, revision);
  yield* audit(by, 'parameters.set', 'all projects', { changed: changedNames(before, params) }, now);
  const event = { topic: 'project', subject: 0, revision: written.revision, body: '{}' } as const;
  yield* appendEvents(null, [event], now);
  return written;
}

/** Names with different values, as one text; values never enter the audit. */
export function changedNames(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).join(', ');
}
