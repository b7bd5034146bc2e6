import { useEffect, useRef, useState } from 'react';
import { inOrder } from '../../model/calm.ts';

/** Keeps rows in place while the pointer or the focus is among them; new ones wait until requested. */
export function useCalmOrder<Row>(newest: readonly Row[], idOf: (row: Row) => string) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const [, setAsked] = useState(0);
  const drawn = useRef<readonly string[]>([]);
  const list = useRef<Element>(null);
  const held = pointed || focused;
  const { rows, waiting } = held ? inOrder(drawn.current, newest, idOf) : { rows: newest, waiting: 0 };
  const ids = rows.map(idOf);
  useEffect(() => {
    drawn.current = ids;
    // A row that had the focus takes it along when it goes, without a word.
    if (focused && !list.current?.contains(document.activeElement)) setFocused(false);
  });
  return {
    rows,
    waiting,
    showNew() {
      drawn.current = newest.map(idOf);
      setAsked((times) => times + 1);
    },
    /** For what holds these rows and the pill: on the way to the pill nothing moves either. */
    hold: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      onFocus: ({ currentTarget }: { currentTarget: Element }) => {
        list.current = currentTarget;
        setFocused(true);
      },
      onBlur: (event: { currentTarget: Element; relatedTarget: EventTarget | null }) =>
        setFocused(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)),
    },
  };
}
