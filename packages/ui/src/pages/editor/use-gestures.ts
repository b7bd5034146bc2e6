/**
 * Edits to tasks in graph, table and form: the worker computes the changed characters, and the text gets them
 * as one undo step.
 */
import { type RefObject, useEffect, useRef } from 'react';
import { copyText } from '../../data/clipboard.ts';
import { useText } from '../../i18n/text.tsx';
import { notify } from '../../parts/notices.tsx';
import type { DraftKeeper } from './draft-keeper.ts';
import { freeName, type Gesture } from './edit/gestures.ts';
import { type Reader, Refused } from './reader.ts';
import type { TextHandle } from './text-view.tsx';
import { lines, type Read } from './use-reading.ts';

interface GestureOptions {
  readonly keeper: DraftKeeper;
  readonly reader: RefObject<Reader | undefined>;
  readonly handle: RefObject<TextHandle | null>;
  readonly read: Read;
  /** The text can be read, and be changed by this person. */
  readonly canDraw: boolean;
  /** The current task. */
  readonly current: string | undefined;
  setText(text: string, at: 'once'): void;
  /** Called before a gesture on tasks, wherever the caret is. */
  onBegin(): void;
  onCurrent(task: string | undefined): void;
}

export function useGestures(options: GestureOptions) {
  const { keeper, reader, handle, read, canDraw, current, setText, onBegin, onCurrent } = options;
  const text = useText();
  /** The gesture that is being done: the next waits for it, since it changes the text that both are about. */
  const doing = useRef(Promise.resolve());
  const splice = async (gesture: Gesture) => {
    for (;;) {
      const before = lines(keeper.text);
      const splices = await reader.current?.ask({ do: 'edit', text: before, gesture });
      if (!splices) return;
      // The text changed meanwhile: the places are outdated and are requested again.
      if (lines(keeper.text) === before) return handle.current?.splice(splices);
    }
  };
  const perform = (gesture: Gesture, then?: { readonly task: string | undefined }) => {
    if (!canDraw) return;
    onBegin();
    const done = doing.current.then(async () => {
      try {
        await splice(gesture);
        setText(keeper.text, 'once');
        if (then) onCurrent(then.task);
      } catch (failure) {
        if (!(failure instanceof Refused)) throw failure;
        notify(text(refusals[failure.code], { detail: failure.detail }), 'bad');
      }
    });
    doing.current = done.catch(() => {});
  };
  const act = (gesture: Gesture) => {
    if (gesture.do === 'rename') perform(gesture, { task: gesture.to });
    else if (gesture.do === 'remove') perform(gesture, { task: undefined });
    else perform(gesture);
  };
  /** Adds a task: after one, between two, or beside all. */
  const add = (type: string, onto: readonly string[] = current === undefined ? [] : [current]) => {
    const names = read.drawn.map((one) => one.name);
    const task = { name: freeName(names, type), type };
    const [from, to] = onto;
    const after = names.includes(from) ? from : undefined;
    const gesture: Gesture =
      to !== undefined
        ? { do: 'insert', task, from, to }
        : { do: 'add', task: after === undefined ? task : { ...task, needs: [after] }, after };
    perform(gesture, { task: task.name });
  };
  const copy = async (names: readonly string[]) => {
    const yaml = await reader.current?.ask({ do: 'copy', text: lines(keeper.text), names });
    if (!yaml) return;
    copyText(yaml).then(
      () => notify(text('editor.copied', { count: names.length, name: names[0] }), 'good'),
      () => notify(text('copy.refused'), 'bad'),
    );
  };
  const pasted = useRef(act);
  pasted.current = act;
  useEffect(() => {
    if (!canDraw) return;
    const onPaste = (event: ClipboardEvent) => {
      const target = event.composedPath()[0];
      const yaml = event.clipboardData?.getData('text/plain') ?? '';
      if (!(target instanceof HTMLElement) || target.isContentEditable || target.matches('input, textarea'))
        return;
      if (/^\s*(?:-|tasks:|name:)/m.test(yaml)) pasted.current({ do: 'paste', yaml, after: undefined });
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [canDraw]);
  return { act, add, copy };
}

const refusals = {
  'written-otherwise': 'editor.refused.text',
  loop: 'editor.refused.loop',
  unknown: 'editor.refused.unknown',
  'name-taken': 'editor.refused.taken',
  'bad-yaml': 'editor.refused.yaml',
} as const;
