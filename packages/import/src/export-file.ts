/**
 * The file that DolphinScheduler 2 and 3 export: a list of workflows with their tasks, edges and schedule. Up to 3.2
 * a workflow is called a process. Only what has a meaning here is read; what else stands there is passed over.
 */

import { InvalidInput } from '@orrery/core/errors';
import { z } from 'zod';

/** Settings that stand there as JSON text or as JSON. */
const settings = z
  .union([z.record(z.string(), z.unknown()), z.string()])
  .nullish()
  .transform((value, context) => {
    const read = typeof value === 'string' ? readJson(value || '{}', context) : (value ?? {});
    return (read ?? {}) as Readonly<Record<string, unknown>>;
  });

const property = z.object({
  prop: z.string(),
  direct: z.string().nullish(),
  type: z.string().nullish(),
  value: z
    .union([z.string(), z.number(), z.boolean()])
    .nullish()
    .transform((value) => String(value ?? '')),
});

/** A parameter with a direction and a type. */
export type Property = z.output<typeof property>;

/** Parameters with a direction and a type. */
export const properties = z
  .union([z.string().transform((text, context) => readJson(text || '[]', context)), z.unknown()])
  .transform((value) => value ?? [])
  .pipe(z.array(property));

const number = z.coerce
  .number()
  .nullish()
  .transform((value) => value ?? 0);
const word = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const moment = z.union([z.string(), z.number()]).nullish();

const definition = z.object({
  code: number,
  name: z.string(),
  description: word,
  globalParams: properties,
  timeout: number,
  executionType: word,
  tenantCode: word,
});

const relation = z.object({ preTaskCode: number, postTaskCode: number });

const task = z.object({
  code: number,
  name: z.string(),
  description: word,
  taskType: z.string(),
  taskParams: settings,
  flag: word,
  isCache: word,
  taskPriority: word,
  workerGroup: word,
  environmentCode: number,
  failRetryTimes: number,
  failRetryInterval: number,
  timeoutFlag: word,
  timeoutNotifyStrategy: word,
  timeout: number,
  delayTime: number,
  taskGroupId: number,
  taskGroupPriority: number,
  cpuQuota: number,
  memoryMax: number,
});

const schedule = z.object({
  startTime: moment,
  endTime: moment,
  timezoneId: word,
  crontab: z.string(),
  failureStrategy: word,
  warningType: word,
  warningGroupId: number,
  releaseState: word,
  workflowInstancePriority: word,
  processInstancePriority: word,
  workerGroup: word,
  tenantCode: word,
});

const entry = z
  .object({
    workflowDefinition: definition.optional(),
    processDefinition: definition.optional(),
    workflowTaskRelationList: z.array(relation).nullish(),
    processTaskRelationList: z.array(relation).nullish(),
    taskDefinitionList: z.array(task).nullish(),
    schedule: schedule.nullish(),
  })
  .transform((value, context) => {
    const definition = value.workflowDefinition ?? value.processDefinition;
    if (!definition) {
      context.addIssue('has neither "workflowDefinition" nor "processDefinition"');
      return z.NEVER;
    }
    return {
      definition,
      relations: value.workflowTaskRelationList ?? value.processTaskRelationList ?? [],
      tasks: value.taskDefinitionList ?? [],
      schedule: value.schedule ?? undefined,
    };
  });

/** One workflow of the file. */
export type ExportedWorkflow = z.output<typeof entry>;
/** One task of it. */
export type ExportedTask = ExportedWorkflow['tasks'][number];
/** Its schedule. */
export type ExportedSchedule = NonNullable<ExportedWorkflow['schedule']>;

/** Reads the text of an export, or says where it is not one. */
export function readExport(text: string): ExportedWorkflow[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new InvalidInput(`this is not JSON: ${(error as Error).message}`);
  }
  const read = z.array(entry).safeParse(Array.isArray(json) ? json : [json]);
  if (read.success) return read.data;
  const [{ path, message }] = read.error.issues;
  throw new InvalidInput(
    `this is not a workflow export of DolphinScheduler: ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
  );
}

/** What a task says in its settings, read by the schema of its type. */
export function readSettings<Schema extends z.ZodType>(
  schema: Schema,
  { name, taskType, taskParams }: ExportedTask,
): z.output<Schema> {
  const read = schema.safeParse(taskParams);
  if (read.success) return read.data;
  const [{ path, message }] = read.error.issues;
  throw new InvalidInput(
    `task "${name}" has no settings of a ${taskType} task: ${path.join('.')}: ${message}`,
  );
}

function readJson(text: string, context: z.core.$RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('is neither JSON nor text with JSON');
    return z.NEVER;
  }
}
