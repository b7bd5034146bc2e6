/**
 * The draft of a workflow on the page: opened from the server and the browser, saved, and merged with others'
 * changes.
 */
import { ApiProblem } from '@orrery/sdk/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useReducer, useRef } from 'react';
import { queries, useApi } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { DraftKeeper, type KeptDraft, type ServerDraft } from './draft-keeper.ts';
import { keepDraft, readKept } from './kept-drafts.ts';

/** What there is to begin with. */
interface Start extends Omit<KeptDraft, 'at'> {
  /** The version that is live, null if none is. */
  readonly live: number | null;
}

const unlessMissing = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  });

/** The draft of the server, else the live text; over it what this browser has that the server does not. */
async function readStart(project: string, name: string): Promise<Start | null> {
  const { workflows } = await call('listWorkflows', { names: [`${project}/${name}`], include: ['draft'] });
  const [row] = workflows;
  const live = row?.version ?? null;
  const [draft, source, kept] = await Promise.all([
    row?.draft ? unlessMissing(call('readDraft', { project, name })) : null,
    live === null ? null : unlessMissing(call('readSource', { project, name })),
    readKept(`${project}/${name}`),
  ]);
  if (kept && kept.text !== draft?.text) return { ...kept, live };
  if (draft) return { text: draft.text, saved: draft.text, revision: draft.revision, base: draft.base, live };
  return source === null ? null : { text: source, saved: source, revision: 0, base: live, live };
}

export function useDraft(project: string, name: string) {
  const full = `${project}/${name}`;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { data: me } = useApi('showMe', {});
  const names = useMemo(() => ({ names: [full], include: ['next', 'draft'] as const }), [full]);
  const listed = useApi('listWorkflows', names).data?.workflows;
  const row = listed?.[0];
  const {
    data: start,
    error,
    refetch,
  } = useQuery({
    queryKey: ['the start of a draft', full],
    queryFn: () => readStart(project, name),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  // What a module makes is changed there, or the next publish of it would undo the change.
  const mayEdit =
    me && listed ? me.rights.includes('saveDraft') && (row?.module ?? null) === null : undefined;
  const keeper = useRef<DraftKeeper>(undefined);
  if (start && mayEdit !== undefined && !keeper.current)
    keeper.current = new DraftKeeper(
      {
        save: async ({ text, base, revision }) => {
          const head = await call('saveDraft', {
            project,
            name,
            ...(revision > 0 && { ifMatch: `"${revision}"` }),
            body: { text, base },
          });
          void queries.invalidateQueries({ queryKey: ['listWorkflows'] });
          return head;
        },
        keep: (draft) => keepDraft(full, draft),
        now: Date.now,
        later: (run, delay) => {
          const timer = setTimeout(run, delay);
          return () => clearTimeout(timer);
        },
        changed: redraw,
      },
      // A user without the right to save sees the server's text, and nothing is stored.
      mayEdit ? start : { ...start, text: start.saved },
    );
  useEffect(() => {
    const leave = () => void keeper.current?.flush();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  return { start, error, refetch, row, mayEdit, keeper: keeper.current };
}

/** Takes over what someone else saved while nothing was typed here. */
export function useTheirs(
  keeper: DraftKeeper | undefined,
  row: { readonly draft: { readonly revision: number } | null } | undefined,
  { project, name }: { readonly project: string; readonly name: string },
  adopt: (theirs: ServerDraft) => void,
): void {
  const revision = row?.draft?.revision ?? 0;
  const isQuiet = keeper?.state.kind === 'saved';
  const latest = useRef({ keeper, project, name, adopt });
  latest.current = { keeper, project, name, adopt };
  // Only what they saved, or that it became quiet here, asks for it.
  useEffect(() => {
    const { keeper: here, adopt: take, ...of } = latest.current;
    if (!here || !isQuiet || revision <= here.revision) return;
    let wanted = true;
    void unlessMissing(call('readDraft', of)).then((theirs) => {
      if (wanted && theirs && here.state.kind === 'saved' && theirs.revision > here.revision) take(theirs);
    });
    return () => {
      wanted = false;
    };
  }, [revision, isQuiet]);
}
