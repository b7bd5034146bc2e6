/** `GET /workflows`, one of them with its versions, comparisons and last runs, and deleting one. */

import { type Workflow, workflowJsonSchema } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { nextPage } from '../page-link.ts';
import { Refusal } from '../problem.ts';
import { optionalTime, timeText } from '../time.ts';
import { workflowActions } from '../workflows/actions.ts';
import { headOf, readDraft } from '../workflows/draft.ts';
import { findWorkflow, type WorkflowName } from '../workflows/find.ts';
import { showGrid } from '../workflows/grid.ts';
import { listWorkflows } from '../workflows/list.ts';
import { rename, restore } from '../workflows/rename.ts';
import { compareFiles, parseFile, writeFile } from '../workflows/work.ts';
import { TEST_TASK } from './connections.ts';

/** Users of a workflow that are named on its page. */
const SHOWN_USERS = 100;

/** What the operations do. */
export function workflowHandlers(context: Context) {
  const { store, clock, hints, taskTypes } = context;

  return {
    listWorkflows: async ({ query, request }) => {
      const workflows = await listWorkflows(context, query);
      const after = ({ project, name }: WorkflowName) => ({ after: `${project}/${name}` });
      return { workflows, next: nextPage(request, workflows, query.limit, after) };
    },

    readWorkflowSchema: async () =>
      workflowJsonSchema((await taskTypes()).filter(({ name }) => name !== TEST_TASK)),

    showWorkflow: async ({ params, query, request: { identity } }) => {
      const found = await findWorkflow(store, params, 'not-found', query.version);
      const { id, version, workflow, offlineSince = null } = found;
      const [published, draft, usedBy, schedules] = await Promise.all([
        readVersion(context, id, version),
        store.readDraft(params),
        store.listUsers({ ...params, limit: SHOWN_USERS }),
        store.listSchedules({ workflow: id }),
      ]);
      const live = published.live ?? version;
      return {
        ...params,
        version,
        live,
        offlineSince: optionalTime(offlineSince),
        note: published.note,
        author: published.author,
        publishedAt: timeText(published.createdAt),
        draft: draft ? headOf(draft) : null,
        // Hides the names of other projects' workflows that use this one.
        usedBy: usedBy.filter((use) => identity.project === null || use.project === identity.project),
        actions: workflowActions({
          live,
          offlineSince,
          draft: draft !== undefined,
          schedules: schedules.map(({ enabled }) => enabled),
        }),
        workflow,
      };
    },

    deleteWorkflow: async ({ params }) => {
      await findListed(context, params);
      await store.deleteWorkflow({ ...params, now: clock.now() });
      hints.schedulesChanged?.();
      return undefined;
    },

    setWorkflowOnline: async ({ params, body, request }) => {
      await findWorkflow(store, params, 'not-found');
      const by = request.identity.name;
      const set = await store.setWorkflowOnline({ ...params, ...body, by, now: clock.now() });
      if (!set)
        throw new Refusal('conflict', said('gone.deleted', { thing: `${params.project}/${params.name}` }));
      hints.schedulesChanged?.();
      return { ...params, offlineSince: optionalTime(set.offlineSince) };
    },

    renameWorkflow: async ({ params, body, request }) => rename(context, params, body, request.identity),

    restoreVersion: async ({ params, body, request }) =>
      restore(context, params, body.note, request.identity),

    listVersions: async ({ params, query, request }) => {
      const { id, version: live } = await findWorkflow(store, params, 'not-found');
      const rows = await store.listVersions({ workflow: id, ...query });
      return {
        versions: rows.map(({ createdAt, origin, ...row }) => ({
          ...row,
          source: origin as 'api' | 'apply' | 'editor',
          createdAt: timeText(createdAt),
          live: row.version === live,
        })),
        next: nextPage(request, rows, query.limit, (last) => ({ before: last.version })),
      };
    },

    readSource: async ({ params, query }, reply) => {
      const { id, version, workflow } = await findWorkflow(store, params, 'not-found', query.version);
      const { format } = query;
      reply.type(`application/${format ?? 'yaml'}; charset=utf-8`);
      return format ? writeFile(workflow, format) : (await readVersion(context, id, version)).source;
    },

    compareVersions: async ({ params, query }) => {
      const [from, to] = await Promise.all([
        readCompared(context, params, query.from),
        readCompared(context, params, query.to),
      ]);
      return { ...(await compareFiles(from.workflow, to.workflow)), texts: { from: from.text, to: to.text } };
    },

    showGrid: async ({ params, query }) =>
      showGrid(context, await findWorkflow(store, params, 'not-found'), query.runs),
  } satisfies Partial<Handlers>;
}

/** A workflow that lists show: a live one, or one that is only a draft. */
async function findListed({ store }: Context, name: WorkflowName): Promise<void> {
  if (!(await store.readDraft(name))) await findWorkflow(store, name, 'not-found');
}

async function readVersion({ store }: Context, workflow: number, version: number) {
  const found = await store.readSource({ workflow, version });
  if (!found) throw new Refusal('not-found', said('none.versionText'));
  return found;
}

/** One side of a comparison, with its text. */
async function readCompared(
  context: Context,
  name: WorkflowName,
  side: number | 'draft',
): Promise<{ workflow: Workflow; text: string }> {
  if (side !== 'draft') {
    const { id, version, workflow } = await findWorkflow(context.store, name, 'not-found', side);
    return { workflow, text: (await readVersion(context, id, version)).source };
  }
  const { text } = await readDraft(context, name);
  const { workflows, problems } = await parseFile(text);
  if (problems.length > 0 || workflows.length !== 1)
    throw new Refusal('not-accepted', said('draft.notCompared'), problems);
  return { workflow: workflows[0], text };
}
