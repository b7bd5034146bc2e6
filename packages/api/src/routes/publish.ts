/** `POST /workflows`: the text of a workflow file, YAML or JSON. */
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import type { Context } from '../server.ts';
import { publish } from '../workflows/publish.ts';

/** Adds the route. */
export function addPublishRoutes(app: FastifyInstance, context: Context): void {
  serve(app, context, 'publishWorkflows', async ({ query: { dryRun, note }, body }) => {
    const workflows = await publish({ text: body, dryRun, note }, context);
    return { dryRun, workflows };
  });
}
