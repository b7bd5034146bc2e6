/** `/secrets`: names of secrets with their users. Their values are with the workers. */
import { isOpenTo } from '@orrery/core/model/uses';
import { secretsWithin } from '@orrery/core/params';
import type { NeedUse } from '@orrery/store';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { optionalTime } from '../time.ts';

/** A secret while its users are collected. */
interface Named {
  workflows: number;
  workflow: string | null;
  readonly environments: string[];
  readonly connections: string[];
  readonly channels: string[];
  lastRun: number | null;
}

/** What the operation does. */
export function secretHandlers({ store }: Context) {
  return {
    listSecrets: async ({ query: { project } }) => {
      const found = new Map<string, Named>();
      const named = (name: string, use?: NeedUse) => {
        const none: Named = {
          workflows: 0,
          workflow: null,
          environments: [],
          connections: [],
          channels: [],
          lastRun: null,
        };
        const secret = found.get(name) ?? none;
        found.set(name, secret);
        const lastRun = Math.max(secret.lastRun ?? 0, use?.lastRun ?? 0);
        return Object.assign(secret, { lastRun: lastRun === 0 ? null : lastRun });
      };
      const uses = await store.listNeedUses({ project });
      const useOf = (kind: NeedUse['kind'], of: string, name: string) =>
        uses.find((use) => use.kind === kind && use.project === of && use.name === name);
      for (const use of uses) {
        if (use.kind !== 'secret') continue;
        const secret = named(use.name, use);
        secret.workflows += use.workflows;
        secret.workflow ??= use.workflow;
      }
      for (const { name, variables, projects } of await store.listEnvironments())
        if (project === undefined || isOpenTo(projects, project))
          for (const secret of secretsWithin(variables))
            named(secret, useOf('environment', '', name)).environments.push(name);
      for (const { project: of, name, settings } of await store.listConnections({ project }))
        for (const secret of secretsWithin(settings))
          named(secret, useOf('connection', of, name)).connections.push(`${of}/${name}`);
      for (const { project: of, name, settings } of await store.listAlertChannels())
        if (project === undefined || of === project)
          for (const secret of secretsWithin(settings)) named(secret).channels.push(`${of}/${name}`);
      const secrets = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
      return {
        secrets: secrets.map(([name, { lastRun, ...users }]) => ({
          name,
          ...users,
          usedAt: optionalTime(lastRun),
        })),
      };
    },
  } satisfies Partial<Handlers>;
}
