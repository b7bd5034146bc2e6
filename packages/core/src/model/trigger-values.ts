/** Values that a trigger passes to the run it starts: which run ended, how, and its outputs. */
import { expandOnly, inert } from '../params/index.ts';
import type { EndState } from './glossary.ts';
import type { Parameters } from './types.ts';

/** Prefix of names for values from a trigger. */
export const TRIGGER_PREFIX = 'trigger.';

/** A run that has ended, as a trigger sees it. */
export interface EndedRun {
  readonly run: number;
  /** `project/name`. */
  readonly workflow: string;
  readonly state: string;
  readonly outputs: Parameters;
}

/** Whether a trigger for these states reacts to a run that ended in this state. */
export function hearsOf(states: readonly EndState[], state: string): boolean {
  if (states.includes('any')) return true;
  return state === 'success' ? states.includes('success') : state !== 'stopped' && states.includes('failed');
}

/** Fills a trigger's values into its parameters; the run resolves other placeholders. */
export function triggerParameters(params: Parameters, ended: EndedRun): Parameters {
  const handed = new Map<string, string>([
    ['run', String(ended.run)],
    ['workflow', ended.workflow],
    ['state', ended.state],
    ...Object.entries(ended.outputs).map(([name, value]): [string, string] => [`outputs.${name}`, value]),
  ]);
  // A missing output is empty, as if the run had printed nothing.
  const value = (name: string) =>
    name.startsWith(TRIGGER_PREFIX) ? inert(handed.get(name.slice(TRIGGER_PREFIX.length)) ?? '') : undefined;
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, expandOnly(text, value)]));
}
