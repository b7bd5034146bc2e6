/** Where one is in a list, and the keys that move there: j k x X Enter o. */
import { useMemo, useRef, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { choose, extend, goTo, type ListPlace, nowhere, step, toggle } from '../../model/list.ts';
import { useKeys } from '../keys/use-keys.ts';

/** A place in a list, and what moves it. */
export interface ListControl {
  readonly place: ListPlace;
  goTo(id: string | null): void;
  step(by: number): void;
  toggle(id: string): void;
  extend(id: string): void;
  chooseAll(ids: readonly string[]): void;
  /** Called by the list with the rows it has. */
  setIds(ids: readonly string[]): void;
}

interface ListKeys {
  onOpen?(id: string): void;
  onInspect?(id: string): void;
  readonly choosable?: boolean;
  /** Identifies the list: a selection does not carry over to the list of another filter. */
  readonly list?: string;
}

/** Holds the place of one list and brings its keys while it is shown. */
export function useListPlace({ onOpen, onInspect, choosable = false, list }: ListKeys = {}): ListControl {
  const text = useText();
  const [place, setPlace] = useState<ListPlace>(nowhere);
  const [listBefore, setListBefore] = useState(list);
  if (listBefore !== list) {
    setListBefore(list);
    setPlace((now) => choose(now, []));
  }
  const ids = useRef<readonly string[]>([]);
  // The same as long as the place is: rows that a list draws hold on to it.
  const control = useMemo<ListControl>(
    () => ({
      place,
      goTo: (id) => setPlace((now) => goTo(now, id)),
      step: (by) => setPlace((now) => step(now, ids.current, by)),
      toggle: (id) => setPlace((now) => toggle(now, id)),
      extend: (id) => setPlace((now) => extend(now, ids.current, id)),
      chooseAll: (all) => setPlace((now) => choose(now, all)),
      setIds: (next) => {
        ids.current = next;
      },
    }),
    [place],
  );
  const here = (run: (id: string) => void) => () => {
    // The row may have gone since, with another filter.
    if (place.current !== null && ids.current.includes(place.current)) run(place.current);
  };
  useKeys([
    { keys: 'j', label: text('list.key.down'), onlyKey: true, run: () => control.step(1) },
    { keys: 'k', label: text('list.key.up'), onlyKey: true, run: () => control.step(-1) },
    ...(choosable
      ? [
          { keys: 'x', label: text('list.key.choose'), onlyKey: true, run: here(control.toggle) },
          { keys: 'X', label: text('list.key.range'), onlyKey: true, run: here(control.extend) },
        ]
      : []),
    ...(onOpen ? [{ keys: 'Enter', label: text('list.key.open'), onlyKey: true, run: here(onOpen) }] : []),
    ...(onInspect
      ? [{ keys: 'o', label: text('list.key.inspect'), onlyKey: true, run: here(onInspect) }]
      : []),
  ]);
  return control;
}
