/** `/alerts`, `/deliveries`, `/alert-rules`, `/alert-channels`, `/alert-mutes`: alerts and their delivery. */

import { listChannelKinds, settingsProblem, settingsProblemText } from '@orrery/alerts';
import { type AlertRule, previewRule } from '@orrery/core/alert';
import { clusterKindProblem, noChannel } from '@orrery/core/alert/file';
import { InvalidInput } from '@orrery/core/errors';
import { said } from '@orrery/core/texts';
import type { AlertGroupRow, DeliveryRow, StoredChannel, StoredRule } from '@orrery/store';
import type { Identity } from '../access/identity.ts';
import { applyAlertFile } from '../alerts/apply.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { Refusal } from '../problem.ts';
import { momentOf } from '../runs/choose.ts';
import { timeText } from '../time.ts';

/** How far a preview looks back, and at how many alerts at most. */
const PREVIEW_DAYS = 30;
const MOST_PREVIEWED = 20_000;

/** What the operations do. */
export function alertHandlers({ store, clock }: Context) {
  const mine = <T extends { readonly project: string }>(list: readonly T[], project: string | undefined) =>
    project === undefined ? list : list.filter((one) => one.project === project);
  const findRule = async (project: string, name: string) =>
    (await store.listAlertRules()).find((one) => one.project === project && one.rule.name === name);
  const findChannel = async (project: string, name: string) =>
    (await store.listAlertChannels()).find((one) => one.project === project && one.name === name);

  const checkChannels = async (project: string, { channels, escalate }: AlertRule) => {
    const known = (await store.listAlertChannels()).filter((one) => [project, '*'].includes(one.project));
    const lists = [
      ['channels', channels],
      ['escalate.channels', escalate?.channels ?? []],
    ] as const;
    for (const [at, names] of lists)
      for (const name of names)
        if (!known.some((one) => one.name === name)) throw new InvalidInput(noChannel(name), at);
  };

  return {
    listAlerts: async ({ query: { project, open, before, limit } }) => {
      const projects = project === undefined ? undefined : [project];
      const groups = await store.listAlertGroups({ open, projects, before, limit });
      const query = { project, open: open || undefined, limit };
      return { alerts: groups.map(shownGroup), next: nextPage('/alerts', groups, limit, query) };
    },

    acknowledgeAlert: async ({ params: { id }, request }) => {
      const found = async () =>
        (await store.listAlertGroups({ before: id + 1, limit: 1 })).find((one) => one.id === id);
      checkOwn(request.identity, (await found())?.project, `alert ${id}`);
      await store.acknowledgeAlert({ id, by: request.identity.name, now: clock.now() });
      const after = await found();
      if (!after) throw new Refusal('not-found', said('none.alert', { id }));
      return shownGroup(after);
    },

    listDeliveries: async ({ query: { project, alert: group, state, before, limit } }) => {
      const list = await store.listDeliveries({ project, group, state, before, limit });
      const query = { project, alert: group, state, limit };
      return { deliveries: list.map(shownDelivery), next: nextPage('/deliveries', list, limit, query) };
    },

    showDelivery: async ({ params: { id }, request }) => {
      const [delivery] = await store.listDeliveries({ before: id + 1, limit: 1 });
      checkOwn(request.identity, delivery?.id === id ? delivery.project : undefined, `delivery ${id}`);
      const tries = await store.listTries({ delivery: id });
      const attempts = tries.map(({ at, ...attempt }) => ({ ...attempt, at: timeText(at) }));
      return { ...shownDelivery(delivery), attempts };
    },

    retryDelivery: async ({ params: { id }, request }) => {
      const read = async () => (await store.listDeliveries({ before: id + 1, limit: 1 }))[0];
      const found = await read();
      checkOwn(request.identity, found?.id === id ? found.project : undefined, `delivery ${id}`);
      if (!(await store.retryDelivery({ id, now: clock.now() })))
        throw new Refusal('conflict', said('alert.notFailed', { id }));
      return shownDelivery(await read());
    },

    listAlertRules: async ({ query: { project } }) => ({
      rules: mine(await store.listAlertRules(), project).map(shownRule),
    }),

    setAlertRule: async ({ params: { project, name }, body: rule, request }) => {
      if (rule.name !== name)
        throw new InvalidInput(`is "${rule.name}", but the address says "${name}"`, 'name');
      const wrongKind = clusterKindProblem(project, rule.match.kinds);
      if (wrongKind) throw new InvalidInput(wrongKind, 'match.kinds');
      await checkChannels(project, rule);
      await store.setAlertRule({ project, rule, by: request.identity.name, now: clock.now() });
      const set = await findRule(project, name);
      if (!set) throw new Refusal('conflict', said('gone.deleted', { thing: `rule ${name}` }));
      return shownRule(set);
    },

    previewAlertRule: async ({ params: { project }, body: rule }) => {
      const since = clock.now() - PREVIEW_DAYS * 86_400_000;
      const of = project === '*' ? undefined : project;
      const alerts = await store.listPastAlerts({ since, project: of, limit: MOST_PREVIEWED });
      const { last, ...preview } = previewRule(rule, alerts);
      const isCut = alerts.length === MOST_PREVIEWED;
      return { days: PREVIEW_DAYS, ...preview, last: last === null ? null : timeText(last), isCut };
    },

    deleteAlertRule: async ({ params: { project, name }, request }) => {
      if (!(await store.deleteAlertRule({ project, name, by: request.identity.name, now: clock.now() })))
        throw new Refusal('not-found', said('none.rule', { name, project }));
      return { deleted: true };
    },

    listAlertChannels: async ({ query: { project } }) => ({
      channels: mine(await store.listAlertChannels(), project).map(shownChannel),
    }),

    listAlertChannelKinds: async () => ({ kinds: listChannelKinds() }),

    setAlertChannel: async ({ params: { project, name }, body: { kind, settings }, request }) => {
      const problem = settingsProblem(kind, settings);
      if (problem !== undefined) throw new InvalidInput(settingsProblemText(problem));
      await store.setAlertChannel({
        project,
        name,
        kind,
        settings,
        by: request.identity.name,
        now: clock.now(),
      });
      const set = await findChannel(project, name);
      if (!set) throw new Refusal('conflict', said('gone.deleted', { thing: `channel ${name}` }));
      return shownChannel(set);
    },

    deleteAlertChannel: async ({ params: { project, name }, request }) => {
      if (!(await store.deleteAlertChannel({ project, name, by: request.identity.name, now: clock.now() })))
        throw new Refusal('not-found', said('none.channel', { name, project }));
      return { deleted: true };
    },

    testAlertChannel: async ({ params: { project, name } }) => {
      if (!(await findChannel(project, name)))
        throw new Refusal('not-found', said('none.channel', { name, project }));
      const now = clock.now();
      const message = { group: 0, rule: '', reason: 'test', since: now, count: 0, subjects: [] } as const;
      return { delivery: await store.testAlertChannel({ project, channel: name, message, now }) };
    },

    applyAlerts: async ({ query: { dryRun }, body, request }) => ({
      dryRun,
      entries: await applyAlertFile(body, dryRun, request.identity, { store, clock }),
    }),

    listAlertMutes: async ({ query: { project } }) => {
      const mutes = mine(await store.listAlertMutes({ now: clock.now() }), project);
      return {
        mutes: mutes.map(({ until, at, actor, ...mute }) => ({
          ...mute,
          by: actor,
          until: timeText(until),
          at: timeText(at),
        })),
      };
    },

    setAlertMute: async ({ params: { project }, body: { match, until, reason }, request }) => {
      const now = clock.now();
      const end = momentOf(until, now);
      if (end <= now) throw new InvalidInput('must be in the future', 'until');
      return {
        id: await store.setAlertMute({ project, match, until: end, reason, by: request.identity.name, now }),
      };
    },

    endAlertMute: async ({ params: { project, id }, request }) => {
      if (!(await store.endAlertMute({ id, project, by: request.identity.name, now: clock.now() })))
        throw new Refusal('not-found', said('none.mute', { id, project }));
      return { deleted: true };
    },
  } satisfies Partial<Handlers>;
}

/** What another project has is not there. */
function checkOwn(identity: Identity, project: string | undefined, thing: string): void {
  if (project === undefined || (identity.project !== null && project !== identity.project))
    throw new Refusal('not-found', `there is no ${thing}`);
}

function nextPage(
  path: string,
  list: readonly { readonly id: number }[],
  limit: number,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string | null {
  const last = list.at(-1);
  if (!last || list.length < limit) return null;
  const kept = Object.entries({ ...query, before: last.id }).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(Object.fromEntries(kept.map(([key, value]) => [key, String(value)])))}`;
}

function shownGroup({ firstAt, lastAt, toldAt, ackBy, ackAt, subjects, ...group }: AlertGroupRow) {
  return {
    ...group,
    firstAt: timeText(firstAt),
    lastAt: timeText(lastAt),
    toldAt: toldAt === null ? null : timeText(toldAt),
    acknowledged: ackBy === null || ackAt === null ? null : { by: ackBy, at: timeText(ackAt) },
    subjects: subjects.map(({ at, ...subject }) => ({ ...subject, at: timeText(at) })),
  };
}

function shownDelivery(delivery: DeliveryRow) {
  const { id, group, project, channel, message, state, createdAt, tries, nextTry, doubled, answer } =
    delivery;
  const [about, ...others] = message.subjects;
  return {
    id,
    alert: group,
    project,
    channel,
    reason: message.reason,
    about: about ? { ...about, at: timeText(about.at) } : null,
    others: others.length,
    state,
    createdAt: timeText(createdAt),
    tries,
    nextTry: nextTry === null ? null : timeText(nextTry),
    mayBeDoubled: doubled === 1,
    answer,
  };
}

function shownRule({ project, rule, changedAt }: StoredRule) {
  return { project, rule: { ...rule }, changedAt: timeText(changedAt) };
}

function shownChannel({ changedAt, ...channel }: StoredChannel) {
  return { ...channel, settings: { ...channel.settings }, changedAt: timeText(changedAt) };
}
