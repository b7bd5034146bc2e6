/** The settings of schedule ownership, and the effects of changing them. */
import { type OwnershipSettings, ownershipDefaults } from '@orrery/core/balance';
import { change, type Operation } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { appendEvents } from '../runs/feed.ts';
import { readSetting, type SettingRow, writeSetting } from '../workflows/cluster-settings.ts';
import { holdMasters } from './self.ts';

/** The current settings. */
export function* readOwnership(): Operation<SettingRow<OwnershipSettings>> {
  const { value, revision } = yield* readSetting<Partial<OwnershipSettings>>('ownership', {});
  return { value: { ...ownershipDefaults, ...value }, revision };
}

/** SQL: the settings in the answer of a beat; null before anyone sets them. */
export const ownershipText = `(SELECT body FROM cluster_setting WHERE name = 'ownership')`;

/**
 * Replaces the settings; masters follow with their next beat. A new mode starts without holdings. With a
 * revision, only if the settings have not changed since that revision.
 */
export function* setOwnership(input: {
  readonly settings: OwnershipSettings;
  readonly revision?: number;
  readonly by: string;
  readonly now: number;
}): Operation<SettingRow<OwnershipSettings>> {
  const { settings, revision, by, now } = input;
  // No claim or shed of the previous mode may be in flight when holdings are freed.
  yield* holdMasters();
  const { value: before } = yield* readOwnership();
  const written = yield* writeSetting('ownership', settings, revision);
  if (before.mode !== settings.mode)
    yield* change('UPDATE holding SET holder = NULL, epoch = NULL, since = ?1 WHERE holder IS NOT NULL', now);
  yield* audit(by, 'ownership.set', 'schedules', { before, after: settings }, now);
  const body = JSON.stringify({ id: '', what: 'ownership' });
  yield* appendEvents(null, [{ topic: 'node', subject: 0, revision: written.revision, body }], now);
  return written;
}
