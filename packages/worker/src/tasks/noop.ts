/** The `noop` task: does nothing, for a given time, and ends as its settings say. For trials and tests. */
import { z } from 'zod';
import { definePlugin, type Plugin, type TaskContext, TaskFailure } from '../plugin/contract.ts';

const schema = z.strictObject({
  sleep: z.number().min(0).max(2_147_483_647).optional().describe('Milliseconds to wait.'),
  fail: z.boolean().optional().describe('End as a failure.'),
  outputs: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown())]))
    .optional()
    .describe('Values to hand on.'),
});

type Settings = z.output<typeof schema>;

/** Runs inside the worker, without a process and, since it prints nothing, without a log file. */
export const noop: Plugin = definePlugin({
  name: 'noop',
  title: 'No operation',
  description: 'Does nothing: waits if asked, hands on values, fails on demand.',
  schema,
  run(context) {
    const { sleep } = context.with;
    return sleep ? context.sleep(sleep).then(() => finish(context)) : finish(context);
  },
});

function finish({ with: { outputs, fail }, output }: TaskContext<Settings>): void {
  for (const name in outputs) output(name, outputs[name]);
  if (fail) throw new TaskFailure('told to fail');
}
