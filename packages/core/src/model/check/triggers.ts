/**
 * Checks that every trigger can start something: a unique name, either after or webhook, and not after its
 * own workflow.
 */

import { said } from '../../texts/index.ts';
import { entryAt, type Found, isRecord, itemsAt, type Outline } from '../outline.ts';
import type { Report } from '../problem.ts';
import { workflowReference } from '../schema/reference.ts';
import { MOST_TRIGGERS } from '../schema/trigger.ts';

/** Reports every fault of the triggers. */
export function checkTriggers({ keys, triggers }: Outline, report: Report): void {
  const names = new Set<unknown>();
  for (const found of triggers.slice(0, MOST_TRIGGERS)) {
    const { value: name = 'main', path } = entryAt(found, 'name');
    if (names.has(name)) report(path, 'duplicate-name', said('file.triggerTwice', { name: String(name) }));
    names.add(name);
    if (!isRecord(found.value)) continue;
    const [after, webhook] = [entryAt(found, 'after'), entryAt(found, 'webhook')];
    if (after.value === undefined && webhook.value === undefined)
      report(found.path, 'after-or-webhook', said('file.noTrigger'));
    else if (after.value !== undefined && webhook.value !== undefined)
      report(webhook.path, 'after-or-webhook', said('file.afterAndWebhook'));
    for (const { value, path } of awaited(after)) {
      const read = workflowReference.safeParse(value);
      const project = keys.project ?? 'default';
      if (read.success && read.data.name === keys.name && (read.data.project ?? project) === project)
        report(path, 'calls-itself', said('file.triggersItself', { workflow: keys.name }));
    }
  }
}

/** The workflows written in any form of `after`. */
function awaited(after: Found): Found[] {
  const named = isRecord(after.value) ? entryAt(after, 'workflows') : after;
  return Array.isArray(named.value) ? itemsAt(named.value, named.path) : [named];
}
