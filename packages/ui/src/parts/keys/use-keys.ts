/**
 * Keys that act on the page, and actions of the palette that have none. Components bring bindings while they are shown;
 * the one that came last wins, so a page's own keys go before those of the shell. Single keys never act in a text field
 * or when they are turned off. What a page offers only in a menu is brought without keys, and so is in the palette:
 *
 *     useKeys([{ label: text('workflows.import'), run: () => open('import') }]);
 */
import { useEffect, useRef } from 'react';
import { usePreferences } from '../../data/preferences.ts';
import { share, useShared } from '../../data/shared.ts';
import { useEffectWhen } from '../../data/when.ts';
import { chordOf, isPlain, isSingle, match } from './match.ts';

/** Why the server refuses an action. */
export interface Refusal {
  readonly reason?: string;
  readonly code?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** One thing a key does. */
export interface KeyBinding {
  /** Absent for an action that is in the palette only. */
  readonly keys?: string;
  /** What it does, for the list of keys and the palette. */
  readonly label: string;
  /** Why not, where it is not allowed now, also as the server's action; it is then listed and does nothing. */
  readonly refused?: string | Refusal;
  /** Not in the palette: moving about in a list or between pages. */
  readonly onlyKey?: boolean;
  run(event?: KeyboardEvent): void;
}

const SEQUENCE_TIME = 3_000;

/** Whether this is a Mac, where ⌘ replaces Ctrl. */
export const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '');

type Group = { current: readonly KeyBinding[] };

const groups = share<readonly Group[]>([]);

/** Brings bindings while the component is shown. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const group = useRef<readonly KeyBinding[]>(bindings);
  group.current = bindings;
  useEffect(() => {
    groups.set([...groups.get(), group]);
    return () => groups.set(groups.get().filter((other) => other !== group));
  }, []);
  const shown = bindings
    .map(({ keys, label, refused }) =>
      [keys, label, typeof refused === 'object' ? refused.reason : refused].join(' '),
    )
    .join('\n');
  // Notifies the list of keys when their labels change.
  useEffectWhen(() => groups.set([...groups.get()]), [shown]);
}

/** Every active binding, kept current while they are listed: a page may add its own when it loads. */
export function useBindings(): readonly KeyBinding[] {
  useShared(groups);
  return bindingsNow();
}

/** Every binding that acts now, the winning one of each key. */
function bindingsNow(): readonly KeyBinding[] {
  const found = new Map<string, KeyBinding>();
  for (const group of groups.get())
    for (const binding of group.current) found.set(binding.keys ?? `no key: ${binding.label}`, binding);
  return [...found.values()].reverse();
}

/** Whether it has keys: then it is in the list of them too. */
export function hasKeys(binding: KeyBinding): binding is KeyBinding & { readonly keys: string } {
  return binding.keys !== undefined;
}

/** Listens for the whole page; the shell calls it once. */
export function useKeyboard(): void {
  const { singleKeys } = usePreferences();
  useEffect(() => {
    let begun: string | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const chord = chordOf(event, isMac);
      if (chord === null) return;
      const inDialog = isInDialog(event.target);
      // A text editor keeps its field in a shadow root.
      const elsewhere = isTyping(event.composedPath()[0] ?? null) || inDialog;
      const acts = (keys: string) =>
        (singleKeys || !isSingle(keys)) &&
        !(elsewhere && isPlain(keys)) &&
        // It closes the dialog, and nothing behind it.
        !(inDialog && keys === 'Escape');
      const usable = bindingsNow()
        .filter(hasKeys)
        .filter(({ keys }) => acts(keys));
      const result = match(begun, chord, new Set(usable.map(({ keys }) => keys)));
      clearTimeout(timer);
      begun = result.kind === 'begun' ? result.chord : null;
      if (begun !== null)
        timer = setTimeout(() => {
          begun = null;
        }, SEQUENCE_TIME);
      if (result.kind !== 'found') return;
      const binding = usable.find(({ keys }) => keys === result.keys);
      if (!binding || binding.refused !== undefined || leavesToElement(event)) return;
      event.preventDefault();
      binding.run(event);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', onKeyDown);
    };
  }, [singleKeys]);
}

const textInputs = /^(?:|text|search|password|number|email|url|tel|date|time|datetime-local|month|week)$/;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  return target instanceof HTMLInputElement && textInputs.test(target.type);
}

/** A dialog has the page's attention: letters typed in it are not for the page behind. */
function isInDialog(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null
  );
}

/** Enter and Space on a button or a link are that element's. */
function leavesToElement(event: KeyboardEvent): boolean {
  if ((event.key !== 'Enter' && event.key !== ' ') || event.ctrlKey || event.metaKey) return false;
  return (
    event.target instanceof Element && event.target.closest('button, a, summary, [role="button"]') !== null
  );
}
