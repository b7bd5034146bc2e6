/** Applies an alert file: sets its channels and rules, all or nothing. */

import { settingsProblem } from '@orrery/alerts';
import type { Answer } from '@orrery/contract';
import { roleActions } from '@orrery/contract/roles';
import { type FileChannel, type FileRule, parseAlertFile } from '@orrery/core/alert/file';
import { said } from '@orrery/core/texts';
import type { StoredChannel, StoredRule } from '@orrery/store';
import { needsRole } from '../access/actions.ts';
import type { Identity } from '../access/identity.ts';
import { checkProject, refusalOfEvery } from '../access/scope.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { valueDifferences } from '../workflows/compare.ts';
import { MOST_PROBLEMS } from '../workflows/publish.ts';

type Applied = Answer<'applyAlerts'>['entries'][number];

/** Returns the changes, and applies them unless `dryRun`. Applying the same file again changes nothing. */
export async function applyAlertFile(
  text: string,
  dryRun: boolean,
  identity: Identity,
  { store, clock }: Pick<Context, 'store' | 'clock'>,
): Promise<Applied[]> {
  const known = { channels: await store.listAlertChannels(), rules: await store.listAlertRules() };
  const { channels, rules, problems } = parseAlertFile(text, {
    checkSettings: settingsProblem,
    hasChannel: (project, name) => known.channels.some((one) => one.project === project && one.name === name),
  });
  if (problems.length > 0)
    throw new Refusal('not-accepted', said('alert.badFile'), problems.slice(0, MOST_PROBLEMS));
  if (channels.length > 0) checkMakesChannels(identity);
  for (const { project } of rules) checkProject(identity, project);
  const ofChannels = channels.map((channel) => ({ channel, entry: channelEntry(channel, known.channels) }));
  const ofRules = rules.map((rule) => ({ rule, entry: ruleEntry(rule, known.rules) }));
  if (!dryRun)
    await store.applyAlerts({
      channels: ofChannels.filter(({ entry }) => entry.changed).map(({ channel }) => channel),
      rules: ofRules.filter(({ entry }) => entry.changed).map(({ rule }) => rule),
      by: identity.name,
      now: clock.now(),
    });
  return [...ofChannels, ...ofRules].map(({ entry }) => entry);
}

/**
 * Channels open connections and start programs on masters, so only an administrator of all projects may set
 * one.
 */
function checkMakesChannels(identity: Identity): void {
  if (!roleActions[identity.role].has('setting.edit'))
    throw new Refusal('not-allowed', needsRole('setting.edit'));
  const refusal = refusalOfEvery(identity);
  if (refusal !== undefined) throw new Refusal('not-allowed', refusal);
}

/** A channel that was switched off is in use again: that is a change too. */
function channelEntry(
  { project, name, kind, settings }: FileChannel,
  known: readonly StoredChannel[],
): Applied {
  const before = known.find((one) => one.project === project && one.name === name);
  const now = { kind, settings, disabled: null };
  const was = before && { kind: before.kind, settings: before.settings, disabled: before.disabled };
  return entryOf('channel', project, name, was, now);
}

function ruleEntry({ project, rule }: FileRule, known: readonly StoredRule[]): Applied {
  const before = known.find((one) => one.project === project && one.rule.name === rule.name);
  return entryOf('rule', project, rule.name, before?.rule, rule);
}

function entryOf(
  thing: Applied['thing'],
  project: string,
  name: string,
  before: object | undefined,
  after: object,
): Applied {
  const diff = before ? valueDifferences(before, after) : [];
  return { thing, project, name, created: !before, changed: !before || diff.length > 0, diff };
}
