/** `POST /workflows`: the text of a workflow file, YAML or JSON; `/validate` says what is wrong with one. */
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { once } from '../once.ts';
import type { Context } from '../server.ts';
import { missingUses } from '../workflows/missing.ts';
import { MOST_PROBLEMS, publish } from '../workflows/publish.ts';
import { surroundingsOf } from '../workflows/surroundings.ts';
import { parseFile } from '../workflows/work.ts';

/** Adds the routes. */
export function addPublishRoutes(app: FastifyInstance, context: Context): void {
  serve(app, context, 'publishWorkflows', async ({ query, headers, body, request }) =>
    once(context, 'publishWorkflows', request, headers.idempotencyKey, async () => {
      const workflows = await publish({ ...query, text: body, identity: request.identity }, context);
      return { dryRun: query.dryRun, workflows };
    }),
  );

  serve(app, context, 'validateWorkflow', async ({ body, request }) => {
    const { workflows, problems } = await parseFile(body, await surroundingsOf(context, request.identity));
    const missing = await missingUses(context, workflows, request.identity);
    return {
      valid: problems.length === 0,
      workflows: workflows.map(({ project, name }) => ({ project, name })),
      problems: problems.slice(0, MOST_PROBLEMS),
      missing,
    };
  });
}
