/** Needs about schedules: ticks that did not come, and ticks that were passed over. */
import { recognize, type Said, said } from '@orrery/core/texts';
import type { NamedSchedule, NodeRow, Skip } from '@orrery/store';
import { quoted } from '../node-commands.ts';
import { masterState } from '../nodes.ts';
import { timeText } from '../time.ts';
import { MOST_EXAMPLES, type Need, need } from './need.ts';

/** Schedules that were due and have not fired, soonest first: one cause holds them all up. */
export function lateTicks(
  late: readonly Pick<NamedSchedule, 'id' | 'name' | 'nextDue'>[],
  nodes: readonly NodeRow[],
  { now, most }: { readonly now: number; readonly most: number },
): Need[] {
  const [first] = late;
  if (!first) return [];
  const due = first.nextDue ?? 0;
  const count = `${late.length - 1}${late.length >= most ? '+' : ''}`;
  const others = late.length > 1 ? said('need.others', { count }) : '';
  const schedule = first.name;
  const { cause, node, heard } = holdUp(nodes, now);
  return [
    need('late-tick', 'late', {
      said: said('need.lateTick', {
        schedule,
        others,
        due: timeText(due),
        why: causeText(cause, node, heard),
      }),
      fields: { schedule, due: timeText(due), count: late.length, cause, node, heard },
      since: due,
      count: late.length,
      examples: late.slice(0, MOST_EXAMPLES).map(({ id }) => String(id)),
      address: late.length === 1 ? `/schedules/${first.id}` : '/schedules',
      command: cause === 'behind' ? `orrery schedules ticks ${first.id}` : 'orrery nodes list',
    }),
  ];
}

/** Why ticks do not come, according to the store. */
function causeText(
  cause: 'no-master' | 'silent' | 'behind',
  node: string | null,
  heard: string | null,
): Said {
  if (cause === 'behind') return said('need.mastersBehind');
  if (heard === null) return said('need.noMasterEver');
  return node === null ? said('need.noMasterSince', { heard }) : said('need.masterSilent', { node, heard });
}

function holdUp(nodes: readonly NodeRow[], now: number) {
  const masters = nodes
    .filter(({ roles }) => roles.split(',').includes('master'))
    .map((node) => ({ ...node, state: masterState(node, now) }));
  const silent = masters.filter(({ state }) => state === 'silent').sort((a, b) => b.beatAt - a.beatAt);
  const last = masters.reduce((latest, { beatAt }) => Math.max(latest, beatAt), 0);
  if (!masters.some(({ state }) => state === 'alive'))
    return { cause: 'no-master', node: null, heard: last === 0 ? null : timeText(last) } as const;
  const [held] = silent;
  if (held) return { cause: 'silent', node: held.id, heard: timeText(held.beatAt) } as const;
  return { cause: 'behind', node: null, heard: null } as const;
}

/**
 * Skips that someone configured or caused, as masters record them: `skip`, `fire-once`, and an offline
 * workflow.
 */
const asAsked = (reason: string) => {
  const { code, fields } = recognize(reason) ?? {};
  return (
    code === 'skip.offline' ||
    code === 'skip.replaced' ||
    (code === 'skip.missed' && fields?.policy === 'skip')
  );
};

/** Ticks that were skipped against the misfire policy of their schedule, by schedule. */
export function skippedTicks(skips: readonly Skip[]): Need[] {
  const unasked = skips.filter(({ reason }) => !asAsked(reason));
  return [...Map.groupBy(unasked, ({ schedule }) => schedule)].map(([schedule, list]) => {
    const [{ project, workflow, name, reason }] = list;
    const count = list.reduce((sum, skip) => sum + skip.count, 0);
    const from = Math.min(...list.map((skip) => skip.from));
    const to = Math.max(...list.map((skip) => skip.to));
    return need('skipped-ticks', String(schedule), {
      said: said('need.skippedTicks', {
        schedule: name,
        workflow: `${project}/${workflow}`,
        count,
        reason: recognize(reason) ?? reason,
      }),
      fields: { schedule: name, workflow: `${project}/${workflow}`, count, reason },
      since: from,
      count,
      examples: [String(schedule)],
      address: `/schedules/${schedule}`,
      command: `orrery backfill ${quoted(`${project}/${workflow}`)} --schedule ${quoted(name)} --from ${timeText(from)} --to ${timeText(to)}`,
      mark: Math.max(...list.map(({ at }) => at)),
    });
  });
}
