/**
 * One hint for the whole page: an element with `data-hint` shows it on hover and focus, and the shown text
 * follows the attribute. Truncated names inside a focused row or link are shown in full too. The hint stays
 * while the pointer is on it and closes with Escape. There is one element, however many rows have hints.
 */
import { useEffect, useRef, useState } from 'react';
import styles from './parts.module.css';

interface Hint {
  readonly text: string;
  readonly box: DOMRect;
}

const DELAY = 300;
const LEAVE = 100;

/** Mounted once, beside the pages. */
export function HintLayer() {
  const [hint, setHint] = useState<Hint | null>(null);
  const layer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting: (() => void) | undefined;
    const changes = new MutationObserver(() => draw());
    let sources: readonly HTMLElement[] = [];
    const draw = () => {
      const text = sources.map(({ dataset }) => dataset.hint ?? '').join('\n');
      setHint(text.trim() === '' ? null : { text, box: sources[0].getBoundingClientRect() });
    };
    const hide = () => {
      clearTimeout(timer);
      waiting = undefined;
      changes.disconnect();
      sources = [];
      setHint(null);
    };
    const show = (found: readonly HTMLElement[], delay: number) => {
      clearTimeout(timer);
      waiting = undefined;
      if (found.length === 0) {
        timer = setTimeout(hide, LEAVE);
        return;
      }
      waiting = () => show(found, delay);
      timer = setTimeout(() => {
        waiting = undefined;
        changes.disconnect();
        sources = found;
        for (const source of found) changes.observe(source, { attributeFilter: ['data-hint'] });
        draw();
      }, delay);
    };
    const onOver = ({ target }: PointerEvent) => {
      if (layer.current?.contains(target as Node)) return clearTimeout(timer);
      show(hintedAround(target), DELAY);
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || !target.matches(':focus-visible')) return;
      const around = hintedAround(target);
      // Stepping through rows must not stop at each of their hints.
      if (around.length > 0) show(around, 0);
      else show(cutNamesIn(target), DELAY);
    };
    /** A pending hint appears once scrolling has stopped: a row that gets the focus is scrolled to. */
    const onScroll = () => {
      const again = waiting;
      hide();
      again?.();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('pointerover', onOver);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('scroll', onScroll, true);
    document.addEventListener('keydown', onKey, true);
    return () => {
      hide();
      document.removeEventListener('pointerover', onOver);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('scroll', onScroll, true);
      document.removeEventListener('keydown', onKey, true);
    };
  }, []);
  if (!hint) return null;
  const below = hint.box.bottom + 48 < innerHeight;
  const left = Math.max(8, Math.min(hint.box.left, innerWidth - 368));
  const place = below ? { top: hint.box.bottom + 4, left } : { bottom: innerHeight - hint.box.top + 4, left };
  return (
    <div ref={layer} className={styles.hint} style={place} aria-hidden="true">
      {hint.text}
    </div>
  );
}

/** The nearest element around a target with a hint; none if it has no text, or is not cut. */
function hintedAround(target: EventTarget | null): readonly HTMLElement[] {
  const found = target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null;
  if (!found?.dataset.hint) return [];
  return found.dataset.hintWhen === 'cut' && !isCut(found) ? [] : [found];
}

function cutNamesIn(target: Element): readonly HTMLElement[] {
  return [...target.querySelectorAll<HTMLElement>('[data-hint][data-hint-when="cut"]')].filter(isCut);
}

function isCut(element: HTMLElement): boolean {
  return Array.from(element.children).some((child) => child.scrollWidth > child.clientWidth);
}
