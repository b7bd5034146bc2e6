/**
 * Settings that a program parses, apart from shell scripts and statements with bound values. A foreign value,
 * one not written by the author, is refused if it could change what is executed. `${x:raw}` pastes any value,
 * as in scripts.
 */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';
import { isShell, refuseForeignTime } from './script.ts';
import { type Expansion, expand, pieces } from './template.ts';

/**
 * `program`: names the program. `shell`: the script after `sh -c`. `text`: statements or code. `html`: a
 * document. `path`: files and folders of the worker.
 */
export type ParsedPlace = 'program' | 'shell' | 'text' | 'html' | 'path';

/** Source of values. */
interface ParsedExpansion extends Expansion {
  /** Whether a value was not written by the author. */
  foreign(name: string): boolean;
}

const program = { program: 'program', interpreter: 'program', yarn: 'program' } as const;

/** Settings of task types, including everything inside them. */
const PLACES: Readonly<Record<string, Readonly<Record<string, ParsedPlace>>>> = {
  container: { ...program, image: 'text', mounts: 'path' },
  datax: { ...program, job: 'text' },
  dbt: { ...program, vars: 'text', project: 'path', profiles: 'path' },
  flink: { ...program, file: 'path' },
  hive: { ...program, sql: 'text', vars: 'text', file: 'path' },
  jupyter: { ...program, notebook: 'path', result: 'path' },
  kubernetes: { image: 'text' },
  mail: { html: 'html', attachments: 'path' },
  mapreduce: { ...program, jar: 'path' },
  node: { code: 'text' },
  python: { ...program, requirements: 'text', index: 'program', file: 'path', cwd: 'path' },
  seatunnel: { ...program, config: 'text' },
  spark: { ...program, file: 'path' },
  sql: { file: 'path', csv: 'path' },
  sqoop: { ...program, query: 'text' },
  wait: { file: 'path' },
};

/** What parses a text of a task's settings; undefined if nothing does. */
export function parsedPlace(
  type: string | undefined,
  settings: unknown,
  path: readonly (string | number)[],
): ParsedPlace | undefined {
  const [key, position] = path;
  if ((type === 'container' || type === 'kubernetes') && (key === 'command' || key === 'args'))
    return isAfterShell(settings as object, key, Number(position)) ? 'shell' : undefined;
  const ofType = type !== undefined && Object.hasOwn(PLACES, type) ? PLACES[type] : {};
  return Object.hasOwn(ofType, String(key)) ? ofType[String(key)] : undefined;
}

/** Whether a word of a command line follows a shell and its option `-c`. */
function isAfterShell(settings: object, key: 'command' | 'args', position: number): boolean {
  const { command = [], args = [] } = settings as { readonly command?: unknown; readonly args?: unknown };
  const words = [command, args].map((list) => (Array.isArray(list) ? list.map(String) : []));
  const before =
    key === 'command' ? words[0].slice(0, position) : [...words[0], ...words[1].slice(0, position)];
  const shell = before.findIndex(isShell);
  // The entry point of an image may be a shell: then only the option shows it.
  const options = key === 'args' && words[0].length === 0 && shell < 0 ? before : before.slice(shell + 1);
  return (shell >= 0 || key === 'args') && options.some((word) => /^-[a-z]*c[a-z]*$/.test(word));
}

/** A word, a number, a date or a path: nothing that ends a text, starts a comment or joins two words. */
const PLAIN = /^(?!.*(?:--|\/\/))[\p{L}\p{N}_.:+/-]*$/u;
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?$/;

const why: Readonly<Record<Exclude<ParsedPlace, 'html'>, Said>> = {
  path: said('place.path'),
  program: said('place.program'),
  shell: said('place.container'),
  text: said('place.text'),
};

/** Warning for an author whose parameter may get a foreign value. */
export function parsedWarning(name: string, raw: boolean, place: ParsedPlace): Said | undefined {
  if (raw) return said('place.rawValue', { name });
  if (place === 'html' || place === 'path') return undefined;
  return said('place.fails', { name, why: why[place] });
}

/** Expands such a setting for one task; refuses a value that would be parsed. */
export function expandParsed(text: string, place: ParsedPlace, expansion: ParsedExpansion): string {
  if (place === 'path') return expandPath(text, expansion);
  return pieces(text)
    .map((piece) => {
      if (piece.kind === 'time') refuseForeignTime(piece.expression, expansion);
      if (piece.kind !== 'reference' || piece.raw || !expansion.foreign(piece.name))
        return expand(piece.text, expansion);
      const value = expansion.value(piece.name) ?? '';
      if (place === 'html') return value.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
      if (place === 'text' && (PLAIN.test(value) || TIME.test(value))) return value;
      throw new InvalidInput(said('place.foreign', { text: piece.text, why: why[place] }), expansion.at);
    })
    .join('');
}

/** Values may name a file or a folder; those that are not the author's cannot lead up from where they stand. */
function expandPath(text: string, expansion: ParsedExpansion): string {
  const path = expand(text, expansion);
  const own = pieces(text).map((piece) =>
    piece.kind === 'reference' && !piece.raw && expansion.foreign(piece.name)
      ? { ...piece, expanded: 'x' }
      : { ...piece, expanded: expand(piece.text, expansion) },
  );
  const steps = (of: string) => of.split('/').filter((part) => part === '..').length;
  if (steps(path) <= steps(own.map(({ expanded }) => expanded).join(''))) return path;
  const found = own.find(({ expanded }) => expanded === 'x');
  throw new InvalidInput(said('place.foreign', { text: found?.text ?? text, why: why.path }), expansion.at);
}
