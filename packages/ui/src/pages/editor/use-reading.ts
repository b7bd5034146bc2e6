/** The text, read a moment after the last key; a text that cannot be read leaves the last picture. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Reader, startReader } from './reader.ts';
import type { OutlinedTask, Reading, TaskType } from './reading.ts';

const PAUSE = 150;

/** The parse result of the text. */
export interface Read extends Reading {
  /** The tasks as they were when the text could last be read. */
  readonly drawn: readonly OutlinedTask[];
  /** Whether the text could be parsed, so that the drawing matches it. */
  readonly whole: boolean;
  /** The text that this is of. */
  readonly of: string | null;
}

const nothing: Read = {
  tasks: null,
  problems: [],
  fields: null,
  start: null,
  drawn: [],
  whole: false,
  of: null,
};

/** A worker that runs as long as the page, started before there is a text: its code is loaded meanwhile. */
export function useReader() {
  const reader = useRef<Reader>(undefined);
  // Before the effects of what it is given to.
  useLayoutEffect(() => {
    const started = startReader();
    reader.current = started;
    return () => {
      reader.current = undefined;
      started.stop();
    };
  }, []);
  return reader;
}

/**
 * Parses a text: `first` at once, then the texts of `setText`. `shown` are the tasks whose values are needed.
 */
export function useReading(
  reader: ReturnType<typeof useReader>,
  first: string,
  types: readonly TaskType[] | undefined,
  shown: readonly string[],
) {
  const [read, setRead] = useState(nothing);
  const latest = useRef({
    text: lines(first),
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
  });
  const wanted = JSON.stringify(shown);
  const asked = useRef(wanted);
  const readNow = useCallback(async () => {
    const [{ text }, names] = [latest.current, asked.current];
    const reading = await reader.current?.ask({ do: 'read', text, shown: JSON.parse(names) });
    if (!reading || latest.current.text !== text || asked.current !== names) return;
    setRead((before) => ({
      ...reading,
      problems: same(before.problems, reading.problems),
      drawn: reading.tasks === null ? before.drawn : same(before.drawn, reading.tasks),
      whole: reading.tasks !== null,
      of: text,
    }));
  }, [reader]);
  useEffect(() => {
    const { text } = latest.current;
    void reader.current?.ask({ do: 'outline', text }).then((drawn) => {
      if (drawn) setRead((now) => (now.of === null ? { ...now, drawn, of: text } : now));
    });
  }, [reader]);
  useEffect(() => {
    if (types) void reader.current?.ask({ do: 'types', types });
    asked.current = wanted;
    void readNow();
  }, [reader, types, wanted, readNow]);
  const setText = useCallback(
    (text: string, at: 'once' | 'soon' = 'soon') => {
      latest.current.text = lines(text);
      clearTimeout(latest.current.timer);
      if (at === 'once') void readNow();
      else latest.current.timer = setTimeout(() => void readNow(), PAUSE);
    },
    [readNow],
  );
  return { read, setText };
}

/** As CodeMirror and the worker count letters: each line ends in one. */
export const lines = (text: string): string => text.replaceAll('\r\n', '\n');

/** The previous value if it is equal, so that its drawing stays unchanged. */
function same<Value>(before: Value, now: Value): Value {
  return JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
