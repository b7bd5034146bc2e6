/**
 * Colours and indentation of YAML, line by line: a key press in a file of 1,000 tasks costs only the visible
 * lines. The grammar of the editor's library parses the whole file at every key press (15 ms). Nothing else
 * depends on this: tasks and problems come from the worker that really parses the text.
 */
import { indentService, StreamLanguage, type StringStream } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

interface LineState {
  /** The column that the text of a block (`|`, `>`) is deeper than; null outside of one. */
  block: number | null;
  /** The quote that was opened on a line before, or on this one. */
  quote: '"' | "'" | null;
  /** Where the last key or dash of the line stands. */
  column: number;
  /** Only dashes so far. */
  first: boolean;
}

const key =
  /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#&*!|>%@`{}[\],:-][^#{}[\],:]*|-[^\s#{}[\],:][^#{}[\],:]*)(?=\s*:(?:\s|$))/;
const blockHeader = /^[|>][-+\d]*(?=\s*(?:#|$))/;

/** The rest of a quoted text, to its end or that of the line. */
function quoted(stream: StringStream, state: LineState): string {
  for (let next = stream.next(); next; next = stream.next()) {
    if (next === '\\' && state.quote === '"') stream.next();
    else if (next === state.quote) {
      state.quote = null;
      break;
    }
  }
  return 'string';
}

const colours = StreamLanguage.define<LineState>({
  name: 'yaml',
  startState: () => ({ block: null, quote: null, column: 0, first: true }),
  token(stream, state) {
    if (stream.sol()) {
      state.first = true;
      state.column = 0;
      if (state.block !== null) {
        if (stream.indentation() > state.block) {
          stream.skipToEnd();
          return null;
        }
        state.block = null;
      }
    }
    if (state.quote) return quoted(stream, state);
    if (stream.eatSpace()) return null;
    const column = stream.column();
    if (stream.peek() === '#') {
      stream.skipToEnd();
      return 'comment';
    }
    if (state.first && stream.match(/^(?:---|\.\.\.)(?=\s|$)/)) return 'meta';
    if (state.first && stream.match(/^-(?=\s|$)/)) {
      state.column = column;
      return 'separator';
    }
    state.first = false;
    if (stream.match(key)) {
      state.column = column;
      return 'propertyName.definition';
    }
    if (stream.match(blockHeader)) {
      state.block = state.column;
      return 'string.special';
    }
    const next = stream.next();
    if (next === '"' || next === "'") {
      state.quote = next;
      return quoted(stream, state);
    }
    if (next === ':' || next === ',') return 'separator';
    if (next === '{' || next === '}') return 'brace';
    if (next === '[' || next === ']') return 'squareBracket';
    if (next === '&' || next === '*' || next === '!') {
      stream.eatWhile(/[^\s,[\]{}]/);
      return next === '!' ? 'typeName' : 'labelName';
    }
    // Plain text goes to what ends it: a comment after a space, a sign of flow style, or a colon.
    stream.match(/^#*(?:[^\s,{}[\]:#]#*|:(?=\S)|\s+(?=[^\s#]))*/);
    return null;
  },
});

/** Where a line begins after the one before it: below its key, after its dash, inside its block. */
const indentation = indentService.of((context, pos) => {
  const { text, from } = context.lineAt(pos, -1);
  const before = text.slice(0, pos - from);
  const [start] = /^\s*(?:- +)*/.exec(before) ?? [''];
  if (before.trim() === '') return null;
  return start.length + (/(?:^|\s)[|>][-+\d]*\s*(?:#.*)?$/.test(before) ? context.unit : 0);
});

export const yamlLanguage: Extension = [colours, indentation];
