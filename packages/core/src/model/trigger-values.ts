/** What a trigger hands to the run it starts: who ended, how, and the outputs of that. */
import { expandOnly, inert } from '../params/index.ts';
import type { EndState } from './glossary.ts';
import type { Parameters } from './types.ts';

/** Names that begin so stand for what a trigger hands on. */
export const TRIGGER_PREFIX = 'trigger.';

/** A run that has ended, as a trigger hears of it. */
export interface EndedRun {
  readonly run: number;
  /** `project/name`. */
  readonly workflow: string;
  readonly state: string;
  readonly outputs: Parameters;
}

/** Whether a run that ended in this state is one that a trigger waits for. */
export function hearsOf(states: readonly EndState[], state: string): boolean {
  if (states.includes('any')) return true;
  return state === 'success' ? states.includes('success') : state !== 'stopped' && states.includes('failed');
}

/** The parameters of a trigger with what it hands on filled in; other placeholders are left to the run. */
export function triggerParameters(params: Parameters, ended: EndedRun): Parameters {
  const handed = new Map<string, string>([
    ['run', String(ended.run)],
    ['workflow', ended.workflow],
    ['state', ended.state],
    ...Object.entries(ended.outputs).map(([name, value]): [string, string] => [`outputs.${name}`, value]),
  ]);
  // An output that was not given is empty, as it would be if the run had printed nothing.
  const value = (name: string) =>
    name.startsWith(TRIGGER_PREFIX) ? inert(handed.get(name.slice(TRIGGER_PREFIX.length)) ?? '') : undefined;
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, expandOnly(text, value)]));
}
