/**
 * Scripts: a foreign value, one not written by the author, never becomes part of a script's text. Its
 * reference is replaced by one to the environment variable that carries it (`carrierVariable`); the shell
 * inserts the value without parsing it.
 */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';
import { type Place, type PlaceKind, REFERENCE_MARK, shellPlaces } from './shell-places.ts';
import { type Expansion, expand, expandTime, type Piece, pieces, references } from './template.ts';
import { carrierVariable } from './variables.ts';

type Reference = Extract<Piece, { kind: 'reference' }>;

/** A script split into pieces, with the place of each reference. */
interface ScriptTemplate {
  readonly pieces: readonly Piece[];
  readonly places: ReadonlyMap<Piece, Place>;
}

/** Source of a script's values. */
export interface ScriptExpansion extends Expansion {
  /** Whether a value was not written by the author. */
  foreign(name: string): boolean;
  /** The program that reads the script. */
  readonly shell: string;
}

/** A reference in a script, and how the shell treats its place. */
export interface ScriptPlace extends Place {
  readonly name: string;
  readonly raw: boolean;
}

/** Programs that read variables as `${NAME}` and have known quoting rules. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'zsh']);

/** Whether a program is a shell whose scripts can receive values through variables. */
export function isShell(program: string): boolean {
  return SHELLS.has(program.slice(program.lastIndexOf('/') + 1));
}

/** How the shell treats a place that does not simply insert the value, and what to write instead. */
interface PlaceNote {
  readonly what: Said;
  readonly instead: Said;
  /** An attempt with a foreign value fails there. */
  readonly fails: boolean;
}

const placeNotes: Readonly<Record<Exclude<PlaceKind, 'quoted' | 'comment'>, PlaceNote>> = {
  bare: {
    what: said('place.bare'),
    instead: said('place.doubleQuotes'),
    fails: false,
  },
  single: {
    what: said('place.single'),
    instead: said('place.doubleQuotesOrRaw'),
    fails: true,
  },
  'here-document': {
    what: said('place.hereDocument'),
    instead: said('place.unquoteEnd'),
    fails: true,
  },
  arithmetic: {
    what: said('place.arithmetic'),
    instead: said('place.integer'),
    fails: false,
  },
  elsewhere: {
    what: said('place.elsewhere'),
    instead: said('place.standardInput'),
    fails: true,
  },
};

/** Warning for an author about a place; undefined if the shell simply inserts the value. */
export function placeWarning({ name, raw, kind }: ScriptPlace): Said | undefined {
  if (kind === 'comment') return undefined;
  if (raw) return said('place.rawScript', { name });
  if (kind === 'quoted') return undefined;
  const { what, instead, fails } = placeNotes[kind];
  const failing = fails ? said('place.failing') : '';
  return said('place.warning', { name, what, failing, instead });
}

const WHOLE_NUMBER = /^\s*[+-]?\d+\s*$/;

/** References of a shell script, in order. */
export function scriptPlaces(script: string): ScriptPlace[] {
  const { pieces: all, places } = templateOf(script);
  return all.flatMap((piece) => {
    if (piece.kind !== 'reference') return [];
    const { name, raw } = piece;
    return [{ name, raw, ...(places.get(piece) ?? { kind: 'bare', escapes: 0 }) }];
  });
}

/** Adds `:raw` to references that a variable cannot replace, or to all; returns the changed references. */
export function pasteReferences(
  script: string,
  isParameter: (name: string) => boolean,
  everywhere: boolean,
): { script: string; pasted: string[] } {
  const { pieces: all, places } = templateOf(script);
  const pasted = new Set<string>();
  const texts = all.map((piece) => {
    if (piece.kind !== 'reference' || piece.raw || !isParameter(piece.name)) return piece.text;
    const { kind = 'bare' } = places.get(piece) ?? {};
    if (!everywhere && kind !== 'single' && kind !== 'here-document' && kind !== 'elsewhere')
      return piece.text;
    pasted.add(piece.name);
    return `\${${piece.name}:raw}`;
  });
  return { script: texts.join(''), pasted: [...pasted] };
}

/** Expands a script for one task: the author's values are inserted, others become references to variables. */
export function expandScript(script: string, expansion: ScriptExpansion): string {
  const { pieces: all, places } = templateOf(script);
  return all
    .map((piece) => {
      if (piece.kind === 'time') {
        refuseForeignTime(piece.expression, expansion);
        return expandTime(piece.expression, expansion);
      }
      const carried = piece.kind === 'reference' && !piece.raw && expansion.foreign(piece.name);
      return carried ? carrier(piece, places.get(piece), expansion) : expand(piece.text, expansion);
    })
    .join('');
}

/** A reference to the variable that carries a value. */
function carrier({ name, text }: Reference, place: Place | undefined, expansion: ScriptExpansion): string {
  const { at, shell } = expansion;
  const { kind = 'bare', escapes = 0 } = place ?? {};
  if (!isShell(shell)) throw new InvalidInput(said('script.foreign', { text, shell, name }), at);
  if (kind === 'arithmetic' && !WHOLE_NUMBER.test(expansion.value(name) ?? ''))
    throw new InvalidInput(said('script.notANumber', { text }), at);
  if (kind === 'single' || kind === 'here-document' || kind === 'elsewhere')
    throw new InvalidInput(
      said('place.refused', { text, what: placeNotes[kind].what, instead: placeNotes[kind].instead }),
      at,
    );
  return `${'\\'.repeat(escapes)}\${${carrierVariable(name)}}`;
}

/** A pattern may quote any text, so a foreign value in it must be a number. */
export function refuseForeignTime(
  expression: string,
  expansion: Pick<ScriptExpansion, 'at' | 'foreign' | 'value'>,
): void {
  for (const name of references(expression)) {
    if (!expansion.foreign(name) || WHOLE_NUMBER.test(expansion.value(name) ?? '')) continue;
    throw new InvalidInput(said('script.timeNumber', { name }), expansion.at);
  }
}

const kept = new Map<string, ScriptTemplate>();
const MOST_KEPT = 500;
const LONGEST_KEPT = 20_000;

/** Splits a script. Recent scripts are cached, since every attempt of a task needs the same one. */
function templateOf(script: string): ScriptTemplate {
  const known = kept.get(script);
  if (known) return known;
  const all = pieces(script);
  const marked = all.map((piece) =>
    piece.kind === 'reference' ? REFERENCE_MARK : piece.text.replaceAll(REFERENCE_MARK, '?'),
  );
  const found = shellPlaces(marked.join(''));
  const places = new Map(all.filter(({ kind }) => kind === 'reference').map((piece, k) => [piece, found[k]]));
  const template = { pieces: all, places };
  if (script.length <= LONGEST_KEPT) {
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(script, template);
  }
  return template;
}
