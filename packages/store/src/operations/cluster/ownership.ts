/** The settings that say who fires which schedule, and what changes with them. */
import { type OwnershipSettings, ownershipDefaults } from '@orrery/core/balance';
import { change, type Operation } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { appendEvents } from '../runs/feed.ts';
import { readSetting, type SettingRow, writeSetting } from '../workflows/cluster-settings.ts';
import { holdMasters } from './self.ts';

/** The settings as they stand. */
export function* readOwnership(): Operation<SettingRow<OwnershipSettings>> {
  const { value, revision } = yield* readSetting<Partial<OwnershipSettings>>('ownership', {});
  return { value: { ...ownershipDefaults, ...value }, revision };
}

/** The settings in the answer of a beat, as an expression; null before anyone sets them. */
export const ownershipText = `(SELECT body FROM cluster_setting WHERE name = 'ownership')`;

/**
 * Replaces the settings; masters follow with their next beat. Another mode begins with nothing held. With a revision,
 * only if nobody else changed them since that was read.
 */
export function* setOwnership(input: {
  readonly settings: OwnershipSettings;
  readonly revision?: number;
  readonly by: string;
  readonly now: number;
}): Operation<SettingRow<OwnershipSettings>> {
  const { settings, revision, by, now } = input;
  // No claim or shed of the mode before may be under way when what is held is freed.
  yield* holdMasters();
  const { value: before } = yield* readOwnership();
  const written = yield* writeSetting('ownership', settings, revision);
  if (before.mode !== settings.mode)
    yield* change('UPDATE holding SET holder = NULL, epoch = NULL, since = ?1 WHERE holder IS NOT NULL', now);
  const { mode, tolerance, alarmAbove, sweepEvery, masters } = settings;
  yield* audit(
    by,
    'ownership.set',
    'schedules',
    { mode, tolerance, alarmAbove, sweepEvery, masters: JSON.stringify(masters) },
    now,
  );
  const body = JSON.stringify({ id: '', what: 'ownership' });
  yield* appendEvents(null, [{ topic: 'node', subject: 0, revision: written.revision, body }], now);
  return written;
}
