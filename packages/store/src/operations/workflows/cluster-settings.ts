/**
 * Settings shared by all projects: one document per kind, with a revision that increases with each change.
 */
import { said } from '@orrery/core/texts';
import { Conflict } from '../../errors.ts';
import { change, type Operation, row } from '../../operation.ts';

/** Kinds of settings. */
export type ClusterSetting = 'params' | 'limits' | 'ownership';

/** A stored document; revision 0 means that nobody has set it. */
export interface SettingRow<T> {
  readonly value: T;
  readonly revision: number;
}

/** A document, or its default before anyone sets it. */
export function* readSetting<T>(name: ClusterSetting, otherwise: T): Operation<SettingRow<T>> {
  const found = yield* row<{ body: string; revision: number }>(
    'SELECT body, revision FROM cluster_setting WHERE name = ?1',
    name,
  );
  return found
    ? { value: JSON.parse(found.body), revision: found.revision }
    : { value: otherwise, revision: 0 };
}

/**
 * Replaces a document. With a revision, only if it has not changed since. Concurrent writes wait for this
 * one.
 */
export function* writeSetting<T>(
  name: ClusterSetting,
  value: T,
  revision: number | undefined,
): Operation<SettingRow<T>> {
  yield* change(
    `INSERT INTO cluster_setting (name, body, revision) VALUES (?1, '{}', 0) ON CONFLICT DO NOTHING`,
    name,
  );
  const changed = yield* row<{ revision: number }>(
    `UPDATE cluster_setting SET body = ?2, revision = revision + 1
     WHERE name = ?1 ${revision === undefined ? '' : 'AND revision = ?3'} RETURNING revision`,
    name,
    JSON.stringify(value),
    ...(revision === undefined ? [] : [revision]),
  );
  if (!changed) throw new Conflict(said('changed.setting', { name }));
  return { value, revision: changed.revision };
}
