/** Logic tasks that end the moment they are ready: there is nothing to wait for, pause or stop. */
import type { Draft } from '../draft.ts';
import { finish } from '../graph.ts';
import type { Logic } from './logic.ts';

/** A logic type made of its decision alone. */
export function decidedAtOnce(onReady: (draft: Draft, i: number) => void): Logic {
  return {
    onReady,
    onEvent: () => {},
    onPause: (draft, i) => draft.move(i, 'hold'),
    onResume: onReady,
    onStop: (draft, i, reason) => finish(draft, i, 'kill', { reason }),
  };
}
