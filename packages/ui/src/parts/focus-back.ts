/**
 * Tracks the focus on the page below dialogs and menus, so that it can return there when they close. There is
 * none after the user has cleared the focus by a click outside all controls.
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
      // Browsers also fire this for an element about to be removed, which is not the user's choice.
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
