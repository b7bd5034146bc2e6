/** The errors of a log: their lines, the next one below the view, and the first one. */
import { type RefObject, useState } from 'react';
import { useEffectWhen } from '../../data/when.ts';
import { useText } from '../../i18n/text.tsx';
import { atLeast, FIRST_ERROR } from '../../model/log-line.ts';
import { notify } from '../../parts/notices.tsx';
import { type Hits, useHits } from './use-hits.ts';
import type { Log } from './use-log.ts';

/** How often a log that grows is looked through again, and above how many bytes less often. */
const LOOK_AGAIN = 2_000;
const LARGE = 5 * 1024 * 1024;
const LOOK_SELDOM = 15_000;

interface ErrorsOptions {
  readonly attempt: string;
  readonly log: Log;
  /** The lines in the address. */
  readonly line: string | undefined;
  /** The lines in view. */
  readonly seen: RefObject<readonly [from: number, to: number]>;
  /** Brings an error into view. */
  readonly onGo: (line: number) => void;
  /** The address asks for the first error, and there is none. */
  readonly onNone: () => void;
}

/** The known errors. */
interface Errors extends Hits {
  /** Whether an error was requested while the server is still searching. */
  readonly seeking: boolean;
  readonly next: () => void;
}

/** Finds errors by the rule that colours lines. */
export function useErrors({ attempt, log: { state }, line, seen, onGo, onNone }: ErrorsOptions): Errors {
  const text = useText();
  const growing = state?.done === false;
  const errors = useHits(state ? attempt : null, atLeast('error'), {
    exact: true,
    regex: true,
    size: state?.done ? state.size : 0,
    every: growing ? (state.size < LARGE ? LOOK_AGAIN : LOOK_SELDOM) : undefined,
  });
  const { lines, pending, error } = errors;
  const [seeking, setSeeking] = useState(false);
  const next = () => {
    const [from, to] = seen.current;
    const below = lines.find((one) => one > from + Math.floor((to - from) / 3));
    if (below === undefined && pending) return setSeeking(true);
    setSeeking(false);
    if (below !== undefined) onGo(below);
    else notify(text('log.noError'));
  };
  // Asked for while the server was still looking: done when it has answered.
  // Whenever more of the log has been looked through.
  useEffectWhen(() => {
    if (seeking) next();
  }, [seeking, lines, pending]);
  const wantsFirst = line === FIRST_ERROR && state !== undefined;
  // Whenever more of the log has been looked through.
  useEffectWhen(() => {
    if (!wantsFirst) return;
    if (lines.length > 0) onGo(lines[0]);
    else if (!pending && !error) onNone();
  }, [wantsFirst, lines, pending, error]);
  return { ...errors, seeking: seeking || (wantsFirst && pending), next };
}
