/** What people and nodes did lately: versions that were published, controls, bulks, drains, mutes. */
import type { Answer } from '@orrery/contract';
import type { BulkRow, HistoryRow, Publication, Store } from '@orrery/store';
import { timeText } from '../time.ts';

type Change = Answer<'showOverview'>['changes'][number];

const SHOWN = 10;

/** Limit of history entries, and of versions, that are read. */
const LOOKED_AT = 100;

/** Limit of entries when a bulk has just written one for each of its runs. */
const MOST_LOOKED_AT = 1_000;

/** The last changes, newest first; of one project those of its runs and workflows, and of nodes, which all share. */
export async function lastChanges(store: Store, project: string | undefined): Promise<Change[]> {
  const [history, published, bulks] = await Promise.all([
    lastActions(store),
    store.listPublications({ limit: LOOKED_AT }),
    store.listBulks({ project, limit: SHOWN }),
  ]);
  const seen = project === undefined ? history : await ofProject(store, history, project);
  return [
    ...seen.map(showHistory),
    ...published.filter((each) => project === undefined || each.project === project).map(showPublication),
    ...bulks.map(showBulk),
  ]
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .slice(0, SHOWN);
}

/** Recent actions. A bulk counts as one action, without its effects on each run. */
async function lastActions(store: Store): Promise<readonly HistoryRow[]> {
  const first = await store.listHistory({ limit: LOOKED_AT });
  const told = first.filter(isTold);
  if (told.length >= SHOWN || first.length < LOOKED_AT) return told;
  return (await store.listHistory({ limit: MOST_LOOKED_AT })).filter(isTold);
}

/**
 * An executed control is no news next to its request; nodes that join and leave are on the cluster's page.
 */
function isTold({ kind, action, body }: HistoryRow): boolean {
  if (action.endsWith('-done')) return false;
  if ((kind === 'node' || kind === 'worker') && ['joined', 'left'].includes(action)) return false;
  if (kind === 'bulk') return action === 'abort';
  return kind !== 'run' || (JSON.parse(body) as { bulk?: number }).bulk === undefined;
}

async function ofProject(
  store: Store,
  history: readonly HistoryRow[],
  project: string,
): Promise<HistoryRow[]> {
  const ids = history.flatMap(({ kind, subject }) => (kind === 'run' ? [Number(subject)] : []));
  const { runs, queued } = await store.readRunsById({ ids: [...new Set(ids)] });
  const known = new Set([
    ...runs.filter((run) => run.project === project).map(({ id }) => String(id)),
    ...queued.filter(({ command }) => command.project === project).map(({ run }) => String(run)),
  ]);
  return history.filter(
    ({ kind, subject }) => kind === 'node' || kind === 'worker' || (kind === 'run' && known.has(subject)),
  );
}

function showHistory({ at, actor, kind, subject, action, body }: HistoryRow): Change {
  const { text } = JSON.parse(body) as { text?: string };
  const said = kind === 'need' ? (text ?? subject) : subject;
  return {
    at: timeText(at),
    actor,
    kind,
    subject: said,
    action,
    count: null,
    address: addressOf(kind, subject),
  };
}

function showBulk({ id, action, by, total, createdAt }: BulkRow): Change {
  return {
    at: timeText(createdAt),
    actor: by,
    kind: 'bulk',
    subject: String(id),
    action,
    count: total,
    address: addressOf('bulk', String(id)),
  };
}

function showPublication({ project, name, version, author, at }: Publication): Change {
  return {
    at: timeText(at),
    actor: author,
    kind: 'workflow',
    subject: `${project}/${name}`,
    action: `publish v${version}`,
    count: null,
    address: `/workflows/${encodeURIComponent(project)}/${encodeURIComponent(name)}`,
  };
}

function addressOf(kind: string, subject: string): string | null {
  switch (kind) {
    case 'run':
      return `/runs/${subject}`;
    case 'node':
    case 'worker':
      return `/cluster/nodes/${encodeURIComponent(subject)}`;
    case 'schedule':
      return `/schedules/${subject}`;
    case 'bulk':
      return `/runs?bulk=${subject}`;
    case 'need':
      return '/';
    default:
      return null;
  }
}
