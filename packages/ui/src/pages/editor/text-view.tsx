/**
 * The text of a workflow in CodeMirror, with completion and help from the schema. It is in a shadow root,
 * whose styles are constructed sheets, as the server's content policy requires. Its undo history is the only
 * one: gestures go through it.
 */
import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  redo,
  redoDepth,
  undo,
  undoDepth,
} from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import type { Splice } from './edit/source.ts';
import style from './editor.module.css';
import type { TextProblem } from './reading.ts';
import { helpAt, type Names, offersAt, placeAt, type Schema } from './schema-help.ts';
import { yamlLanguage } from './yaml-language.ts';

/** What the page does with the text. */
export interface TextHandle {
  splice(splices: readonly Splice[]): void;
  /** Puts another text in place of the whole, as one step that can be undone. */
  replace(text: string): void;
  /** Brings a part into view, and the caret to its start. */
  reveal(from: number, focus?: boolean): void;
  undo(): void;
  redo(): void;
}

interface TextViewProps {
  readonly text: string;
  readonly label: string;
  readonly readOnly: boolean;
  readonly schema: Schema | undefined;
  readonly names: Names;
  readonly problems: readonly TextProblem[];
  /** The lines that light up. */
  readonly marked: { readonly from: number; readonly to: number } | undefined;
  /** The texts of the search panel, by their English words. */
  readonly phrases: Readonly<Record<string, string>>;
  onReady(handle: TextHandle | null): void;
  onText(text: string, steps: { undo: number; redo: number }): void;
  onCaret(at: number): void;
}

/** Helping in longer texts would make typing slow. */
const MOST_HELPED = 1_000_000;

export function TextView(props: TextViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const told = useRef(props);
  told.current = props;
  const { problems, marked, readOnly } = props;
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { text, onReady, phrases } = told.current;
    const started = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          extensionsOf(() => told.current),
          EditorState.phrases.of(phrases),
          EditorState.readOnly.of(readOnly),
          EditorState.lineSeparator.of(text.includes('\r\n') ? '\r\n' : '\n'),
        ],
      }),
    });
    view.current = started;
    onReady(handleOf(started));
    return () => {
      onReady(null);
      started.destroy();
      view.current = undefined;
    };
  }, [readOnly]);
  useEffect(() => {
    const on = view.current;
    if (!on) return;
    const { doc } = on.state;
    const shown = problems.map(({ line, column, message, doubt }) => {
      const at = doc.line(Math.min(line, doc.lines));
      const from = Math.min(at.from + column - 1, at.to);
      const word = /^[^\s:,\]}]+/.exec(doc.sliceString(from, at.to))?.[0].length ?? 0;
      return { from, to: from + word, severity: doubt ? ('warning' as const) : ('error' as const), message };
    });
    on.dispatch(setDiagnostics(on.state, shown));
  }, [problems]);
  useEffect(() => {
    view.current?.dispatch({ effects: mark.of(marked) });
  }, [marked]);
  return <div ref={host} className={style.code} />;
}

function handleOf(view: EditorView): TextHandle {
  return {
    splice(splices) {
      if (splices.length === 0) return;
      const at = Math.min(...splices.map(({ from }) => from));
      view.dispatch({
        changes: [...splices],
        effects: EditorView.scrollIntoView(at, { y: 'nearest', yMargin: 60 }),
        userEvent: 'input.gesture',
      });
    },
    replace(text) {
      const old = view.state.doc.toString();
      let from = 0;
      while (from < old.length && from < text.length && old[from] === text[from]) from++;
      let end = 0;
      while (end < old.length - from && end < text.length - from && old.at(-1 - end) === text.at(-1 - end))
        end++;
      view.dispatch({
        changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) },
        userEvent: 'input.replace',
      });
    },
    reveal(from, focus = false) {
      const at = Math.min(from, view.state.doc.length);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      if (focus) view.focus();
    },
    undo: () => void undo(view),
    redo: () => void redo(view),
  };
}

const mark = StateEffect.define<{ from: number; to: number } | undefined>();
const markedLine = Decoration.line({ class: 'marked' });

/** The lines of the current task. */
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, { effects, changes, state }) {
    const effect = effects.find((one) => one.is(mark));
    if (!effect) return set.map(changes);
    if (!effect.value) return Decoration.none;
    const last = state.doc.lineAt(Math.min(effect.value.to, state.doc.length)).number;
    const first = state.doc.lineAt(Math.min(effect.value.from, state.doc.length)).number;
    const lines = Array.from({ length: Math.min(last - first + 1, 2_000) }, (_, k) =>
      state.doc.line(first + k),
    );
    return Decoration.set(lines.map(({ from }) => markedLine.range(from)));
  },
  provide: (field) => EditorView.decorations.from(field),
});

function extensionsOf(told: () => TextViewProps) {
  const offers = (context: CompletionContext) => {
    const { schema, names } = told();
    const { doc } = context.state;
    if (!schema || doc.length > MOST_HELPED) return null;
    const line = doc.lineAt(context.pos);
    const typed = context.matchBefore(/[\w$.-]*/);
    if (
      !context.explicit &&
      (!typed || typed.from === typed.to) &&
      !/(?:^|[\s:-])\s*$/.test(line.text.slice(0, context.pos - line.from))
    )
      return null;
    const place = placeAt(doc.toString().split('\n'), line.number - 1, context.pos - line.from);
    const found = offersAt(schema, place, names);
    if (found.length === 0 || (!context.explicit && typed?.from === typed?.to && !place.inValue)) return null;
    // Written out already: Enter begins a new line.
    if (!context.explicit && found.some(({ label }) => label === typed?.text)) return null;
    return {
      from: typed?.from ?? context.pos,
      options: found.map(({ label, insert, detail, info }) => ({
        label,
        detail,
        info,
        apply: insert,
        type: insert === label ? 'enum' : 'property',
      })),
    };
  };
  const help = hoverTooltip((view, pos) => {
    const { schema } = told();
    const { doc } = view.state;
    if (!schema || doc.length > MOST_HELPED) return null;
    const line = doc.lineAt(pos);
    const place = placeAt(doc.toString().split('\n'), line.number - 1, pos - line.from);
    const said = place.inValue ? undefined : helpAt(schema, place);
    if (said === undefined) return null;
    const dom = document.createElement('div');
    dom.className = 'help';
    dom.textContent = said;
    return { pos, above: true, create: () => ({ dom }) };
  });
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    yamlLanguage,
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    bracketMatching(),
    highlightActiveLine(),
    syntaxHighlighting(colours),
    autocompletion({ override: [offers], icons: false }),
    help,
    search({ top: true }),
    marks,
    keymap.of([
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    ]),
    theme,
    EditorView.contentAttributes.of({ 'aria-label': told().label, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, selectionSet, state, view }) => {
      if (docChanged) told().onText(state.sliceDoc(), { undo: undoDepth(state), redo: redoDepth(state) });
      if ((selectionSet || docChanged) && view.hasFocus) told().onCaret(state.selection.main.head);
    }),
  ];
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--running-text)' },
  { tag: tags.definition(tags.propertyName), color: 'var(--running-text)' },
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--success-text)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--dim)' },
  { tag: [tags.keyword, tags.meta, tags.labelName, tags.typeName], color: 'var(--stopped-text)' },
]);

const panel = {
  background: 'var(--ground)',
  color: 'var(--text)',
  border: '1px solid var(--line)',
  borderRadius: '4px',
};

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', background: 'var(--ground)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--ground)', color: 'var(--dim)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 8px', minWidth: '28px' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-line.marked': { background: 'var(--chosen)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, ::selection': {
    background: 'color-mix(in srgb, var(--focus) 28%, transparent)',
  },
  '.cm-tooltip': panel,
  '.cm-tooltip .help': {
    padding: '6px 10px',
    maxWidth: '380px',
    whiteSpace: 'pre-line',
    fontFamily: 'var(--sans)',
    fontSize: '12px',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12px', maxHeight: '240px' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', lineHeight: '18px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--focus)',
    color: 'var(--on-focus)',
  },
  '.cm-tooltip.cm-completionInfo': {
    ...panel,
    padding: '6px 10px',
    maxWidth: '300px',
    whiteSpace: 'pre-line',
    fontFamily: 'var(--sans)',
    fontSize: '12px',
  },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', fontSize: '12px', padding: '6px 10px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--failed-fill)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--waiting-fill)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--failed-fill) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--waiting-fill) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker': { content: 'none', width: '8px', height: '8px', margin: '6px 2px', borderRadius: '50%' },
  '.cm-lint-marker-error': { background: 'var(--failed-fill)' },
  '.cm-lint-marker-warning': { background: 'var(--waiting-fill)' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-panels': { background: 'var(--raised)', color: 'var(--text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': { ...panel, fontSize: '12px' },
  '.cm-button': { ...panel, backgroundImage: 'none', fontSize: '12px' },
  '.cm-searchMatch': { background: 'color-mix(in srgb, var(--waiting-fill) 30%, transparent)' },
  '.cm-matchingBracket': { background: 'var(--hover)', outline: '1px solid var(--line-strong)' },
});
