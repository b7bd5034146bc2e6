/**
 * One hint for the whole page: whatever carries `data-hint` shows it on hover and on focus. It stays while the
 * pointer is on it and goes with Escape. One element, however many rows have hints.
 */
import { useEffect, useRef, useState } from 'react';
import styles from './parts.module.css';

interface Hint {
  readonly text: string;
  readonly box: DOMRect;
}

const DELAY = 300;

/** Mounted once, beside the pages. */
export function HintLayer() {
  const [hint, setHint] = useState<Hint | null>(null);
  const layer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (target: EventTarget | null, delay: number) => {
      if (layer.current?.contains(target as Node)) return clearTimeout(timer);
      const source = target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null;
      clearTimeout(timer);
      const text = source?.dataset.hint;
      if (!source || !text || (source.dataset.hintWhen === 'cut' && !isCut(source))) {
        timer = setTimeout(() => setHint(null), 100);
        return;
      }
      timer = setTimeout(() => setHint({ text, box: source.getBoundingClientRect() }), delay);
    };
    const onOver = (event: PointerEvent) => show(event.target, DELAY);
    const onFocus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) show(event.target, 0);
    };
    const hide = () => {
      clearTimeout(timer);
      setHint(null);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('pointerover', onOver);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('scroll', hide, true);
    document.addEventListener('keydown', onKey, true);
    return () => {
      hide();
      document.removeEventListener('pointerover', onOver);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('scroll', hide, true);
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

function isCut(element: HTMLElement): boolean {
  return Array.from(element.children).some((child) => child.scrollWidth > child.clientWidth);
}
