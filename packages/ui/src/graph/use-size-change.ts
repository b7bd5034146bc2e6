/** Canvases are drawn for the size they are shown in, so they have to draw again when there is more or less room. */
import { type RefCallback, useCallback, useState } from 'react';

/** Renders again whenever the element that has this as its ref gets another size. */
export function useSizeChange(): RefCallback<HTMLElement> {
  const [, setSize] = useState('');
  return useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const resized = new ResizeObserver(([{ contentRect }]) =>
      setSize(`${contentRect.width} ${contentRect.height}`),
    );
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
}
