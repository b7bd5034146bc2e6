/**
 * Checks parameters: readable placeholders, names that can have a value, no cycles. A plugin's settings in
 * `with` are not checked, since a script has variables of its own.
 */
import { InvalidInput } from '../../errors.ts';
import { parseExpression, referencedNames } from '../../expression/index.ts';
import {
  type BuiltinFacts,
  builtinParameters,
  expand,
  RESERVED_PREFIXES,
  references,
  SECRET_PREFIX,
  sizeRefusal,
} from '../../params/index.ts';
import { said } from '../../texts/index.ts';
import { zone } from '../../time/index.ts';
import { suggestFrom } from '../nearest.ts';
import {
  entriesAt,
  entryAt,
  type Found,
  isRecord,
  itemsAt,
  type Outline,
  type TaskOutline,
  textsAt,
} from '../outline.ts';
import { type Path, type Report, reportRefusal } from '../problem.ts';
import { projectOf, type Surroundings } from '../surroundings.ts';
import { TRIGGER_PREFIX } from '../trigger-values.ts';
import { findCycles, printCycle } from './cycles.ts';

/** A parameter and its value. */
type Entry = Found & { readonly key: string };

/** Any instant works for checking whether a placeholder is readable. */
const someTime = { businessTime: 946_684_800_000, zone: zone('UTC') };

/** All facts, so that every built-in has a value. */
const everyFact: Required<BuiltinFacts> = {
  ...someTime,
  projectName: '',
  projectCode: '',
  workflowName: '',
  workflowCode: '',
  runId: '',
  taskName: '',
  taskCode: '',
  taskRunId: '',
  executePath: '',
};
const builtins = new Set(Object.keys(builtinParameters(everyFact)));

/** Where to report, and suggestions for mistyped names. */
interface Context {
  readonly report: Report;
  readonly suggest: ReturnType<typeof suggestFrom>;
}

/** Names with a value in some scope; undefined if any name may have one. */
type Names = { has(name: string): boolean } | undefined;

/** Reports every fault of parameters; `found` are those of the project and of all projects. */
export function checkParameters(outline: Outline, found: Surroundings['params'], report: Report): void {
  const given = [...(found?.shared ?? []), ...(found?.projects[projectOf(outline.keys)] ?? [])];
  const declared = entriesAt({ value: outline.keys.params, path: ['params'] });
  const known = new Set(given);
  const names = [...given, ...declared.map(({ key }) => key), ...builtins];
  const context = { report, suggest: suggestFrom(names) };
  checkScope(declared.map(defaultOf), known, context);
  for (const { key } of declared) known.add(key);
  const scheduled = outline.schedules.map((schedule) => entriesAt(entryAt(schedule, 'params')));
  for (const entries of scheduled) checkScope(entries, known, context);
  for (const one of [...outline.schedules, ...outline.triggers]) checkSize(entryAt(one, 'params'), report);
  const triggered = outline.triggers.map((trigger) => entriesAt(entryAt(trigger, 'params')));
  // The values from a trigger are known only when it starts a run.
  const handed = { has: (name: string) => name.startsWith(TRIGGER_PREFIX) || known.has(name) };
  for (const entries of triggered) checkScope(entries, handed, context);
  const sent = outline.triggers.flatMap((trigger) =>
    entriesAt(entryAt(entryAt(trigger, 'webhook'), 'params')),
  );
  for (const { key } of [...scheduled, ...triggered, sent].flat()) known.add(key);
  for (const task of outline.tasks) checkTask(task, known, context);
}

function checkSize(params: Found, report: Report): void {
  // A value that is not a text is short, or reported elsewhere.
  const texts = entriesAt(params).map(({ key, value }) => [key, typeof value === 'string' ? value : '']);
  const tooLarge = sizeRefusal(Object.fromEntries(texts));
  if (tooLarge !== undefined) report(params.path, 'too-large', tooLarge);
}

function checkTask(task: TaskOutline, known: ReadonlySet<string>, context: Context): void {
  // Predecessors may print any name, so unknown names cannot be reported.
  const weaker = task.needs.length > 0 ? undefined : known;
  const local = entriesAt({ value: task.keys.params, path: [...task.path, 'params'] });
  checkScope(local, weaker, context);
  const own = new Set(local.map(({ key }) => key));
  const visible = weaker && { has: (name: string) => own.has(name) || weaker.has(name) };
  const child = task.type === 'sub-workflow' || task.type === 'dynamic' ? ['params', 'over'] : [];
  for (const entry of child.flatMap((key) => entriesAt(entryAt(task.with, key)))) {
    for (const { name, path } of referencesIn(entry, context)) checkName(name, path, visible, context);
  }
  if (task.type === 'approval') {
    const texts = [entryAt(task.with, 'message'), ...entriesAt(entryAt(task.with, 'fields')).map(defaultOf)];
    for (const { name, path } of texts.flatMap((text) => referencesIn(text, context)))
      checkName(name, path, visible, context);
  }
  if (task.type !== 'switch') return;
  const cases = entryAt(task.with, 'cases');
  for (const one of itemsAt(cases.value, cases.path)) checkExpression(entryAt(one, 'when'), visible, context);
}

/** The default of a declaration; a plain value is its own default. */
function defaultOf(entry: Entry): Entry {
  return isRecord(entry.value) ? { ...entryAt(entry, 'default'), key: entry.key } : entry;
}

/** Checks values that may refer to each other, and to their own name if a weaker source provides it. */
function checkScope(entries: readonly Entry[], weaker: Names, context: Context): void {
  const index = new Map(entries.map(({ key }, i) => [key, i]));
  const edges: number[] = [];
  const reportCycle = (path: Path, names: readonly string[]) =>
    context.report(path, 'parameter-cycle', said('param.cycle', { names: printCycle(names) }));
  for (const [i, entry] of entries.entries()) {
    for (const { name, path } of referencesIn(entry, context)) {
      const other = index.get(name);
      if (other === undefined) checkName(name, path, weaker, context);
      else if (other !== i) edges.push(i, other);
      else if (weaker && !weaker.has(name)) reportCycle(path, [name]);
    }
  }
  for (const cycle of findCycles(entries.length, edges)) {
    reportCycle(
      entries[cycle[0]].path,
      cycle.map((i) => entries[i].key),
    );
  }
}

/** Checks the names in an expression; one that cannot be parsed is reported elsewhere. */
function checkExpression({ value, path }: Found, visible: Names, context: Context): void {
  if (typeof value !== 'string') return;
  try {
    for (const name of referencedNames(parseExpression(value))) checkName(name, path, visible, context);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
  }
}

/** The names in a value, unless its placeholders are unreadable. */
function referencesIn({ value, path }: Found, { report }: Context): { name: string; path: Path }[] {
  return textsAt(value, path).flatMap(({ text, path }) =>
    text.includes('$') && isReadable(text, path, report)
      ? references(text).map((name) => ({ name, path }))
      : [],
  );
}

function isReadable(text: string, path: Path, report: Report): boolean {
  const plain = text.replace(/\\./gs, '');
  for (const [open, close] of ['{}', '[]']) {
    const at = plain.lastIndexOf(`$${open}`);
    if (at < 0 || plain.indexOf(close, at) >= 0) continue;
    report(path, 'bad-placeholder', said('param.unclosed', { open, close }));
    return false;
  }
  // The value of a reference inside a time placeholder is known only at run time.
  if (!plain.includes('$[') || /\$\[[^\]]{0,256}\$\{/.test(plain)) return true;
  return reportRefusal(report, path, 'bad-placeholder', () => expand(text, { ...someTime, value: () => '' }));
}

function checkName(name: string, path: Path, visible: Names, { report, suggest }: Context): void {
  if (name.startsWith(SECRET_PREFIX)) return;
  const builtin = RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
  if (builtin ? builtins.has(name) : !visible || visible.has(name)) return;
  const hint = suggest(name) || (builtin ? '' : said('hint.declare'));
  report(path, 'unknown-parameter', said(builtin ? 'param.noBuiltin' : 'param.noSource', { name, hint }));
}
