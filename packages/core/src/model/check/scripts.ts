/**
 * Warns about references in shell scripts that values from outside could break. These are warnings, not
 * problems.
 */
import { isShell, parsedPlace, parsedWarning, placeWarning, scriptPlaces } from '../../params/index.ts';
import { pieces } from '../../params/template.ts';
import { english, type Said, said } from '../../texts/index.ts';
import { entriesAt, entryAt, isRecord, type Outline, type TaskOutline } from '../outline.ts';
import type { Path } from '../problem.ts';

const PRINTED = /setValue\(\s*([^=\s)]+)\s*=/g;

/** Warns about each parameter once per kind of place in a script. */
export function checkScripts(outline: Outline, warn: (path: Path, words: Said) => void): void {
  const given = namesGiven(outline);
  const numbers = wholeNumbers(outline);
  for (const task of outline.tasks) {
    checkParsed(task, given, warn);
    const { value: script, path } = entryAt(task.with, 'script');
    if (
      (task.type !== 'shell' && task.type !== 'ssh') ||
      typeof script !== 'string' ||
      !script.includes('${')
    )
      continue;
    const local = entriesAt({ value: task.keys.params, path: [] }).map(({ key }) => key);
    const names = new Set([...given, ...local]);
    const shell = entryAt(task.with, 'shell').value;
    const told = new Set<string>();
    for (const place of scriptPlaces(script)) {
      if (!names.has(place.name) && !place.raw) continue;
      if (place.kind === 'arithmetic' && numbers.has(place.name)) continue;
      const warning =
        typeof shell === 'string' && !shell.includes('${') && !isShell(shell) && !place.raw
          ? said('place.otherProgram', { name: place.name, program: shell })
          : placeWarning(place);
      if (warning === undefined || told.has(english(warning))) continue;
      told.add(english(warning));
      warn(path, warning);
    }
  }
}

/** Warns about settings of other types that a program parses. */
function checkParsed(
  { type, with: { value: settings, path: at } }: TaskOutline,
  given: readonly string[],
  warn: (path: Path, words: Said) => void,
): void {
  if (type === 'shell' || type === 'ssh') return;
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value === 'string') {
      const place = value.includes('${') ? parsedPlace(type, settings, path) : undefined;
      if (place === undefined) return;
      for (const piece of pieces(value)) {
        if (piece.kind !== 'reference' || !given.includes(piece.name)) continue;
        const warning = parsedWarning(piece.name, piece.raw, place);
        if (warning !== undefined) warn([...at, ...path], warning);
      }
    } else if (Array.isArray(value)) {
      for (const [k, each] of value.entries()) walk(each, [...path, k]);
    } else if (isRecord(value)) for (const [key, each] of Object.entries(value)) walk(each, [...path, key]);
  };
  walk(settings, []);
}

/** Parameters checked to be whole numbers wherever they are given. */
function wholeNumbers({ keys }: Outline): Set<string> {
  const declared = entriesAt({ value: keys.params, path: [] });
  return new Set(
    declared.flatMap(({ key, value }) => (isRecord(value) && value.type === 'integer' ? [key] : [])),
  );
}

/** Names whose values may come from outside: declared and given ones, and those printed by scripts. */
function namesGiven({ keys, schedules, triggers, tasks }: Outline): string[] {
  const found = [
    ...entriesAt({ value: keys.params, path: [] }),
    ...[...schedules, ...triggers].flatMap((each) => entriesAt(entryAt(each, 'params'))),
    ...triggers.flatMap((trigger) => entriesAt(entryAt(entryAt(trigger, 'webhook'), 'params'))),
  ];
  return [...found.map(({ key }) => key), ...tasks.flatMap(printedBy)];
}

function printedBy({ with: settings }: TaskOutline): string[] {
  const { value: script } = entryAt(settings, 'script');
  const outputs = entriesAt(entryAt(settings, 'outputs')).map(({ key }) => key);
  if (typeof script !== 'string') return outputs;
  return [...outputs, ...[...script.matchAll(PRINTED)].map(([, name]) => name)];
}
