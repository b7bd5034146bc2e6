/** A canvas reads its colours when it draws, so it must redraw when the theme changes. */
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
