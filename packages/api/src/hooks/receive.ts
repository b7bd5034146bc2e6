/**
 * Handles a webhook request: starts a run if it is signed with the secret that the trigger names. A missing
 * webhook and a wrong signature get the same answer after the same work, so that callers cannot find out
 * which webhooks exist.
 */

import type { TriggerSpec } from '@orrery/core/model';
import { inert } from '@orrery/core/params';
import { said } from '@orrery/core/texts';
import { startCommand, type WorkflowVersion, whyOffline } from '@orrery/store';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { checkParameters } from '../runs/parameters.ts';
import { queueStart } from '../runs/start.ts';
import { parametersFrom } from './body.ts';
import { deliveryOf, type SignedRequest } from './signature.ts';

/** A request, and the hook it is for. */
export interface HookRequest extends SignedRequest {
  readonly project: string;
  readonly workflow: string;
  readonly trigger: string;
  /** Of the request itself, for the log. */
  readonly id: string;
}

/** Starts the run of a request that is signed as it must be. */
export async function receiveHook(
  request: HookRequest,
  context: Context,
): Promise<{ readonly run: number; readonly repeated: boolean }> {
  const found = await findHook(request, context);
  const secret = found && (await secretOf(found.webhook.secret, request, context));
  // Without a webhook the signature is still compared, so that the answer takes the same time.
  const scheme = found?.webhook.scheme ?? 'orrery';
  const deliveries = deliveryOf(request, scheme, secret ?? request.id, context.clock.now());
  if (!found || secret === undefined || !deliveries) throw new Refusal('not-found', said('none.hook'));
  const { live, trigger, webhook } = found;
  if (live.offlineSince !== undefined)
    throw new Refusal('conflict', whyOffline(live.workflow.project, live.workflow.name));
  const sent = parametersFrom(webhook.params, request.body);
  checkParameters(live.workflow.params, { ...trigger.params, ...sent }, new Set(Object.keys(sent)));
  // What a sender writes is a value, never a reference to a parameter or a secret of ours.
  const values = Object.entries(sent).map(([name, value]) => [name, inert(value)]);
  const params = { ...trigger.params, ...Object.fromEntries(values) };
  const command = startCommand(live, {
    trigger: 'webhook',
    businessTime: context.clock.now(),
    params,
    priority: trigger.priority,
    cause: { trigger: trigger.name, chain: 0 },
  });
  return queueStart(context, command, undefined, { hook: `${live.id} ${trigger.name}`, ids: deliveries });
}

interface Hook {
  readonly live: WorkflowVersion;
  readonly trigger: TriggerSpec;
  readonly webhook: NonNullable<TriggerSpec['webhook']>;
}

async function findHook(
  { project, workflow, trigger: name }: HookRequest,
  { store }: Context,
): Promise<Hook | undefined> {
  const live = await store.readWorkflow({ project, name: workflow });
  const trigger = live?.workflow.triggers.find((one) => one.name === name && one.enabled);
  return live && trigger?.webhook && { live, trigger, webhook: trigger.webhook };
}

/** An unreadable secret is a fault of this server: it goes to the log, not to the sender. */
async function secretOf(
  name: string,
  { project, id }: HookRequest,
  { readSecret, onDefect }: Context,
): Promise<string | undefined> {
  if (!readSecret) return undefined;
  try {
    return await readSecret(name, project);
  } catch (error) {
    onDefect(error, id);
    return undefined;
  }
}
