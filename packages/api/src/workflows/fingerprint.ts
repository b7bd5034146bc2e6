/** The fingerprint of a workflow's content: the same for files that differ only in layout or order of keys. */
import { createHash } from 'node:crypto';
import type { Workflow } from '@orrery/core/model';

/** Two workflows with the same fingerprint are the same version. */
export function fingerprint(workflow: Workflow): string {
  return createHash('sha256').update(JSON.stringify(workflow, sortKeys)).digest('hex');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}
