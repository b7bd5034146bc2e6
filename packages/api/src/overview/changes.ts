/** What people and nodes did lately: versions that were published, controls, drains, mutes. */
import type { Answer } from '@orrery/core/contract';
import type { HistoryRow, Publication, Store } from '@orrery/store';
import { timeText } from '../time.ts';

type Change = Answer<'showOverview'>['changes'][number];

const SHOWN = 10;

/** Entries of the history, and versions, that are looked at. */
const LOOKED_AT = 100;

/** The last changes, newest first; of one project those of its runs and workflows, and of nodes, which all share. */
export async function lastChanges(store: Store, project: string | undefined): Promise<Change[]> {
  const [history, published] = await Promise.all([
    store.listHistory({ limit: LOOKED_AT }),
    store.listPublications({ limit: LOOKED_AT }),
  ]);
  // That a control was carried out is no news beside that it was asked for.
  const actions = history.filter(({ action }) => !action.endsWith('-done'));
  const seen = project === undefined ? actions : await ofProject(store, actions, project);
  return [
    ...seen.map(showHistory),
    ...published.filter((each) => project === undefined || each.project === project).map(showPublication),
  ]
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .slice(0, SHOWN);
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

function showHistory({ at, actor, kind, subject, action }: HistoryRow): Change {
  return { at: timeText(at), actor, kind, subject, action, address: addressOf(kind, subject) };
}

function showPublication({ project, name, version, author, at }: Publication): Change {
  return {
    at: timeText(at),
    actor: author,
    kind: 'workflow',
    subject: `${project}/${name}`,
    action: `publish v${version}`,
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
    default:
      return null;
  }
}
