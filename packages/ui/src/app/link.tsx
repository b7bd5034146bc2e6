/**
 * A link to an address of the console: navigates without a page load, and can still be copied or opened in a
 * new tab.
 */
import { useRouter } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, useCallback } from 'react';

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** A path below the base path, such as `/runs/12?view=graph`. */
  readonly to: string;
}

export function Link({ to, onClick, ...rest }: LinkProps) {
  const router = useRouter();
  const go = useGo();
  return (
    <a
      {...rest}
      href={`${router.basepath === '/' ? '' : router.basepath}${to}`}
      onClick={(event) => {
        onClick?.(event);
        const beside = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
        if (event.defaultPrevented || beside) return;
        event.preventDefault();
        go(to);
      }}
    />
  );
}

/** Goes to an address of the console; the same function as long as there is the same router. */
export function useGo(): (to: string, options?: { readonly replace?: boolean }) => void {
  const router = useRouter();
  return useCallback(
    (to, { replace = false } = {}) => {
      const address = `${router.basepath === '/' ? '' : router.basepath}${to}`;
      if (replace) router.history.replace(address);
      else router.history.push(address);
    },
    [router],
  );
}
