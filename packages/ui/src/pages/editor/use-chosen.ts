/** The current task and the selected ones, shared by graph and table, with the keys of lists. */
import { useMemo, useRef, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { choose, extend, goTo, type ListPlace, nowhere, step, toggle } from '../../model/list.ts';
import { useKeys } from '../../parts/keys/use-keys.ts';
import type { ListControl } from '../../parts/list/use-list-place.ts';
import type { OutlinedTask } from './reading.ts';

/** `current` is the task of the address, which `onCurrent` changes. */
export function useChosen(
  tasks: readonly OutlinedTask[],
  current: string | undefined,
  onCurrent: (task: string) => void,
) {
  const text = useText();
  const [{ chosen, anchor }, setPlace] = useState<ListPlace>(nowhere);
  const ids = useRef<readonly string[]>([]);
  const place = { current: current ?? null, chosen, anchor };
  const move = (next: ListPlace) => {
    if (next.chosen !== chosen || next.anchor !== anchor) setPlace(next);
    if (next.current !== null && next.current !== place.current) onCurrent(next.current);
  };
  const control: ListControl = {
    place,
    goTo: (id) => move(goTo(place, id)),
    step: (by) => move(step(place, ids.current, by)),
    toggle: (id) => move(toggle(place, id)),
    extend: (id) => move(extend(place, ids.current, id)),
    chooseAll: (all) => move(choose(place, all)),
    setIds: (next) => {
      ids.current = next;
    },
  };
  control.setIds(tasks.map(({ name }) => name));
  const here = (run: (id: string) => void) => () => current !== undefined && run(current);
  useKeys([
    { keys: 'x', label: text('list.key.choose'), onlyKey: true, run: here(control.toggle) },
    { keys: 'X', label: text('list.key.range'), onlyKey: true, run: here(control.extend) },
  ]);
  /** Those that the text still contains, in its order. */
  const names = useMemo(
    () => (chosen.size === 0 ? none : tasks.flatMap(({ name }) => (chosen.has(name) ? [name] : []))),
    [chosen, tasks],
  );
  /** The targets of an action: the selected tasks, or else the current one. */
  const meant =
    names.length > 0 ? names : tasks.some(({ name }) => name === current) ? [current ?? ''] : none;
  const add = (some: readonly string[], how: 'add' | 'toggle') =>
    how === 'toggle' ? some.forEach(control.toggle) : control.chooseAll([...new Set([...chosen, ...some])]);
  return { control, names, meant, chosen, add, clear: () => control.chooseAll([]) };
}

const none: readonly string[] = [];
