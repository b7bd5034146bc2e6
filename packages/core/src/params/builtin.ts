/**
 * Built-in parameters, which every task can read without declaring them. Times come from the run's business
 * time and zone, never from a clock, so a rerun or a backfill reads the same values as the first run.
 */
import type { Zone } from '../time/zone.ts';
import { dayOf, onDay } from './calendar-day.ts';
import { formatDate } from './date-pattern.ts';
import { SECRET_PREFIX } from './secret.ts';

/** Source of the built-ins. The caller provides stable ids and codes; an absent fact has no built-in. */
export interface BuiltinFacts {
  businessTime: number;
  zone: Zone;
  projectName?: string;
  projectCode?: string;
  workflowName?: string;
  workflowCode?: string;
  runId?: string;
  taskName?: string;
  taskCode?: string;
  taskRunId?: string;
  executePath?: string;
}

type Source = (facts: BuiltinFacts) => string | undefined;

/** DolphinScheduler's names, and our own where they are clearer. */
const BUILTINS: readonly [names: string, source: Source][] = [
  ['system.biz.date', (facts) => print('yyyyMMdd', facts, -1)],
  ['system.biz.curdate', (facts) => print('yyyyMMdd', facts)],
  ['system.datetime', (facts) => print('yyyyMMddHHmmss', facts)],
  ['orrery.business.time', (facts) => print('yyyy-MM-dd HH:mm:ss', facts)],
  ['system.project.name orrery.project.name', (facts) => facts.projectName],
  ['system.project.code', (facts) => facts.projectCode],
  ['system.workflow.definition.name orrery.workflow.name', (facts) => facts.workflowName],
  ['system.workflow.definition.code', (facts) => facts.workflowCode],
  ['system.workflow.instance.id orrery.run.id', (facts) => facts.runId],
  ['system.task.definition.name orrery.task.name', (facts) => facts.taskName],
  ['system.task.definition.code', (facts) => facts.taskCode],
  ['system.task.instance.id orrery.task.run.id', (facts) => facts.taskRunId],
  ['system.task.execute.path', (facts) => facts.executePath],
];

/** Prefixes reserved for built-ins and secrets: no declared parameter may start with one. */
export const RESERVED_PREFIXES = ['system.', 'orrery.', SECRET_PREFIX] as const;

/** The built-in parameters of one task. */
export function builtinParameters(facts: BuiltinFacts): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [names, source] of BUILTINS) {
    const value = source(facts);
    if (value === undefined) continue;
    for (const name of names.split(' ')) values[name] = value;
  }
  return values;
}

function print(format: string, { businessTime, zone }: BuiltinFacts, days = 0): string {
  return formatDate(format, onDay(businessTime, dayOf(businessTime, zone) + days, zone), zone);
}
