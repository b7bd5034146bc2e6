/** Secrets by name: what names them, and when that last ran. Values are kept where workers run and are in no answer. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { time } from './shapes.ts';

const secret = z
  .object({
    name: z.string(),
    workflows: z.int().min(0).describe('how many live versions of workflows name it themselves'),
    workflow: z.string().nullable().describe('the first of them by name'),
    environments: z.array(z.string()).describe('whose variables name it'),
    connections: z.array(z.string()).describe('whose settings name it, as project/name'),
    channels: z.array(z.string()).describe('channels of alerts whose settings name it, as project/name'),
    usedAt: time
      .nullable()
      .describe(
        'the last start of a run of a workflow that names it, or an environment or connection that does',
      ),
  })
  .meta({ id: 'NamedSecret' });

export const secretOperations = {
  listSecrets: {
    route: 'GET /secrets',
    action: 'setting.read',
    scope: 'filter',
    summary: 'secrets by name, with what names them and their last use; never their values',
    query: z.strictObject({ project: z.string().optional() }),
    answer: z.object({ secrets: z.array(secret) }),
    example: { project: 'default' },
  },
} as const satisfies Record<string, Operation>;
