/** A reference to another workflow: `etl/daily`, `daily`, or an object. */
import { z } from 'zod';
import { said } from '../../texts/index.ts';
import type { WorkflowReference } from '../types.ts';
import { name, object, quote, report } from './values.ts';

/** A reference as a text. */
export const writtenReference = z.string().transform((written, context): WorkflowReference => {
  const parts = written.split('/');
  if (parts.length > 2 || !parts.every((part) => name.safeParse(part).success)) {
    report(context, 'bad-value', said('file.workflowReference', { text: quote(written) }));
    return z.NEVER;
  }
  return parts.length === 2 ? { project: parts[0], name: parts[1] } : { name: parts[0] };
});

/** A reference; without a project it means the referring workflow's project. */
export const workflowReference = z
  .union([writtenReference, object({ project: name.optional(), name })])
  .meta({ description: 'name, project/name, or an object with both.', examples: ['etl/daily'] });
