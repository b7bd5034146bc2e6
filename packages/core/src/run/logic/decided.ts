/** Logic tasks that end as soon as they are ready: they never wait, pause or stop. */
import type { Draft } from '../draft.ts';
import { finish } from '../finish.ts';
import type { Logic } from './logic.ts';

/** A logic type that consists only of its decision. */
export function decidedAtOnce(onReady: (draft: Draft, i: number) => void): Logic {
  return {
    onReady,
    onEvent: () => {},
    onPause: (draft, i) => draft.move(i, 'hold'),
    onResume: onReady,
    onStop: (draft, i, reason) => finish(draft, i, 'kill', { reason }),
  };
}
