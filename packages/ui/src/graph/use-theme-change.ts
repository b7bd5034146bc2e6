/** Canvases take their colours when they draw, so they have to draw again when the colours become others. */
import { useEffect, useState } from 'react';

/** Renders again whenever the page changes between light and dark. */
export function useThemeChange(): void {
  const [, setChanges] = useState(0);
  useEffect(() => {
    const themed = new MutationObserver(() => setChanges((count) => count + 1));
    themed.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    return () => themed.disconnect();
  }, []);
}
