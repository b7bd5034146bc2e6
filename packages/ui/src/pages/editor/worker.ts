/** Reads texts and works out gestures beside the page, which never waits for it. Keeps the text that it read last. */
import { copy, type Gesture, splicesOf } from './edit/gestures.ts';
import { EditRefused, type Source, type Splice } from './edit/source.ts';
import {
  checkText,
  fieldsOf,
  type OutlinedTask,
  type Reading,
  sourceOf,
  type TaskType,
  tasksOf,
} from './reading.ts';

/** The requests; `types` comes once, before the others. */
export type Ask =
  | { readonly do: 'types'; readonly types: readonly TaskType[] }
  /** Only the tasks, to draw the graph as early as possible. */
  | { readonly do: 'outline'; readonly text: string }
  | { readonly do: 'read'; readonly text: string; readonly shown: readonly string[] }
  | { readonly do: 'edit'; readonly text: string; readonly gesture: Gesture }
  | { readonly do: 'copy'; readonly text: string; readonly names: readonly string[] };

/** The answers. */
export interface Answers {
  types: null;
  outline: readonly OutlinedTask[] | null;
  read: Reading;
  edit: readonly Splice[];
  copy: string;
}

/** An answer, or why there is none. */
export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | {
      readonly id: number;
      readonly refused: { readonly code: EditRefused['code']; readonly detail: string };
    };

let types: readonly TaskType[] = [];
let source: Source | null = null;
let checked: ReturnType<typeof checkText> | undefined;
let last: string | undefined;

/** Forgets what it knew of another text. */
function turnTo(text: string): void {
  if (last === text) return;
  last = text;
  checked = undefined;
  source = sourceOf(text);
}

function editable(text: string): Source {
  turnTo(text);
  if (!source) throw new EditRefused('written-otherwise');
  return source;
}

function answer(ask: Ask): unknown {
  if (ask.do === 'types') {
    types = ask.types;
    checked = undefined;
    return null;
  }
  if (ask.do === 'edit') return splicesOf(editable(ask.text), ask.gesture);
  if (ask.do === 'copy') return copy(editable(ask.text), ask.names);
  turnTo(ask.text);
  if (ask.do === 'outline') return tasksOf(source);
  checked ??= checkText(ask.text, types);
  const { isReadable, ...told } = checked;
  const read = isReadable ? source : null;
  return { ...told, tasks: tasksOf(read), fields: read && fieldsOf(read, ask.shown) };
}

addEventListener('message', ({ data: { id, ask } }: MessageEvent<{ id: number; ask: Ask }>) => {
  try {
    postMessage({ id, answer: answer(ask) } satisfies Reply);
  } catch (error) {
    if (!(error instanceof EditRefused)) throw error;
    postMessage({ id, refused: { code: error.code, detail: error.detail } } satisfies Reply);
  }
});
