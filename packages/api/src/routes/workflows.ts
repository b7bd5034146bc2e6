/** `GET /workflows`, one of them with its versions, comparisons and last runs, and taking one away. */
import type { Workflow } from '@orrery/core/model';
import type { FastifyInstance } from 'fastify';
import { nextPage, serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { timeText } from '../time.ts';
import { workflowActions } from '../workflows/actions.ts';
import { headOf, readDraft } from '../workflows/draft.ts';
import { findWorkflow, type WorkflowName } from '../workflows/find.ts';
import { showGrid } from '../workflows/grid.ts';
import { listWorkflows } from '../workflows/list.ts';
import { rename, restore } from '../workflows/rename.ts';
import { compareFiles, parseFile, writeFile } from '../workflows/work.ts';

/** Users of a workflow that are named on its page. */
const SHOWN_USERS = 100;

/** Adds the routes. */
export function addWorkflowRoutes(app: FastifyInstance, context: Context): void {
  const { store, clock, hints } = context;

  serve(app, context, 'listWorkflows', async ({ query, request }) => {
    const workflows = await listWorkflows(context, query);
    const after = ({ project, name }: WorkflowName) => ({ after: `${project}/${name}` });
    return { workflows, next: nextPage(request, workflows, query.limit, after) };
  });

  serve(app, context, 'showWorkflow', async ({ params, query }) => {
    const { id, version, workflow } = await findWorkflow(store, params, 'not-found', query.version);
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
      note: published.note,
      author: published.author,
      publishedAt: timeText(published.createdAt),
      draft: draft ? headOf(draft) : null,
      usedBy,
      actions: workflowActions({
        live,
        draft: draft !== undefined,
        schedules: schedules.map(({ enabled }) => enabled),
      }),
      workflow,
    };
  });

  serve(app, context, 'deleteWorkflow', async ({ params }) => {
    await findListed(context, params);
    await store.deleteWorkflow({ ...params, now: clock.now() });
    hints.schedulesChanged?.();
    return undefined;
  });

  serve(app, context, 'renameWorkflow', async ({ params, body, request }) =>
    rename(context, params, body, request.identity),
  );

  serve(app, context, 'restoreVersion', async ({ params, body, request }) =>
    restore(context, params, body.note, request.identity),
  );

  serve(app, context, 'listVersions', async ({ params, query, request }) => {
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
  });

  serve(app, context, 'readSource', async ({ params, query }, reply) => {
    const { id, version, workflow } = await findWorkflow(store, params, 'not-found', query.version);
    const { format } = query;
    reply.type(`application/${format ?? 'yaml'}; charset=utf-8`);
    return format ? writeFile(workflow, format) : (await readVersion(context, id, version)).source;
  });

  serve(app, context, 'compareVersions', async ({ params, query }) => {
    const [from, to] = await Promise.all([
      readCompared(context, params, query.from),
      readCompared(context, params, query.to),
    ]);
    return { ...(await compareFiles(from.workflow, to.workflow)), texts: { from: from.text, to: to.text } };
  });

  serve(app, context, 'showGrid', async ({ params, query }) =>
    showGrid(context, await findWorkflow(store, params, 'not-found'), query.runs),
  );
}

/** A workflow that lists show: a live one, or one that is only a draft. */
async function findListed({ store }: Context, name: WorkflowName): Promise<void> {
  if (!(await store.readDraft(name))) await findWorkflow(store, name, 'not-found');
}

async function readVersion({ store }: Context, workflow: number, version: number) {
  const found = await store.readSource({ workflow, version });
  if (!found) throw new Refusal('not-found', 'the text of this version is gone');
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
    throw new Refusal('not-accepted', 'the draft cannot be compared until its problems are solved', problems);
  return { workflow: workflows[0], text };
}
