/** `POST /workflows`: the text of a workflow file, YAML or JSON; `/validate` reports its problems. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { once } from '../once.ts';
import { goneSignal } from '../turns.ts';
import { missingUses } from '../workflows/missing.ts';
import { MOST_PROBLEMS, publish } from '../workflows/publish.ts';
import { surroundingsOf } from '../workflows/surroundings.ts';
import { parseFile } from '../workflows/work.ts';

/** What the operations do. */
export function publishHandlers(context: Context) {
  return {
    publishWorkflows: async ({ query, headers, body, request }, reply) =>
      once(context, 'publishWorkflows', request, headers.idempotencyKey, async () => {
        const published = await publish(
          { ...query, text: body, identity: request.identity, gone: goneSignal(reply) },
          context,
        );
        return { dryRun: query.dryRun, ...published };
      }),

    validateWorkflow: async ({ body, request }, reply) => {
      const known = await surroundingsOf(context, request.identity);
      const { workflows, problems, warnings } = await parseFile(body, known, goneSignal(reply));
      const missing = await missingUses(context, workflows, request.identity);
      return {
        valid: problems.length === 0,
        workflows: workflows.map(({ project, name }) => ({ project, name })),
        problems: problems.slice(0, MOST_PROBLEMS),
        warnings: warnings.slice(0, MOST_PROBLEMS),
        missing,
      };
    },
  } satisfies Partial<Handlers>;
}
