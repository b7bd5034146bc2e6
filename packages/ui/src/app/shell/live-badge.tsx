/** Whether what is shown is live: it is, it is being reconnected, it is old, or someone froze it. */
import { useEffect, useState } from 'react';
import { hub, liveCache } from '../../data/api.ts';
import { useNow } from '../../data/clock.ts';
import { usePreferences } from '../../data/preferences.ts';
import { share, useShared } from '../../data/shared.ts';
import { useText } from '../../i18n/text.tsx';
import { timeParts, zoneOf } from '../../model/time.ts';
import { useKeys } from '../../parts/keys/use-keys.ts';
import styles from './shell.module.css';

/** After this long without a stream what is shown is called old, with its age. */
const STALE_AFTER = 3_000;

const frozen = share(false);

/** Live, or since when not. */
function useLiveSince(): number | null {
  const [lostAt, setLostAt] = useState<number | null>(() => (hub.state() === 'live' ? null : Date.now()));
  useEffect(() => {
    const follow = () => setLostAt((before) => (hub.state() === 'live' ? null : (before ?? Date.now())));
    follow();
    return hub.onState(follow);
  }, []);
  return lostAt;
}

export function LiveBadge() {
  const text = useText();
  const { zone } = usePreferences();
  const now = useNow();
  const lostAt = useLiveSince();
  const isFrozen = useShared(frozen);
  const toggle = () => {
    frozen.set(!isFrozen);
    liveCache.freeze(!isFrozen);
  };
  useKeys([{ keys: ';', label: text(isFrozen ? 'live.thaw' : 'live.freeze'), run: toggle }]);
  const state = isFrozen
    ? 'frozen'
    : lostAt === null
      ? 'live'
      : now - lostAt < STALE_AFTER
        ? 'reconnecting'
        : 'stale';
  const words = {
    live: text('live.live'),
    reconnecting: text('live.reconnecting'),
    stale: text('live.stale', { time: timeParts(lostAt ?? now, zoneOf(zone)).time }),
    frozen: text('live.frozen'),
  };
  return (
    <button
      type="button"
      className={styles.live}
      data-state={state}
      aria-pressed={isFrozen}
      aria-label={`${words[state]}. ${text(isFrozen ? 'live.thaw' : 'live.freeze')}`}
      data-hint={`${text(isFrozen ? 'live.thaw' : 'live.freeze')}  ;`}
      onClick={toggle}
    >
      <span className={styles.liveWord} role="status">
        {words[state]}
      </span>
    </button>
  );
}
