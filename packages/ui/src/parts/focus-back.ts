/**
 * Where the focus is on the page itself, below dialogs and menus, so that it can go back there when they are gone.
 * Nobody's while a person has put it nowhere, by a click beside everything.
 */
import { useEffect } from 'react';

const above = '[role="dialog"], [role="menu"], [role="listbox"]';

let onPage: HTMLElement | null = null;

/** Follows it; the shell calls this once. */
export function useFocusPlace(): void {
  useEffect(() => {
    const came = ({ target }: FocusEvent) => {
      if (isOnPage(target)) onPage = target;
    };
    const went = ({ target, relatedTarget }: FocusEvent) => {
      if (!isOnPage(target) || relatedTarget !== null) return;
      // Browsers tell this also of an element that is about to be taken away, which is nobody's wish.
      queueMicrotask(() => {
        if (onPage === target && target.isConnected && isNowhere()) onPage = null;
      });
    };
    document.addEventListener('focusin', came);
    document.addEventListener('focusout', went);
    return () => {
      document.removeEventListener('focusin', came);
      document.removeEventListener('focusout', went);
    };
  }, []);
}

/** Puts it back when the component that took it is gone: where it was, or to the page where that is gone too. */
export function useFocusBack(): void {
  useEffect(
    () => () => {
      // What comes in its place, a page or another dialog, takes the focus itself.
      setTimeout(() => {
        if (onPage === null || !isNowhere()) return;
        onPage.focus({ preventScroll: true });
        if (isNowhere()) document.querySelector('main')?.focus({ preventScroll: true });
      });
    },
    [],
  );
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function isOnPage(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.closest(above) === null;
}
