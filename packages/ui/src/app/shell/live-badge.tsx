/**
 * Whether the page is live, reconnecting, stale, or frozen by the user. When it is stale, its panel offers
 * the remedies, even on a page that has its data.
 */
import { Popover } from '@mantine/core';
import { useEffect, useState } from 'react';
import { hub, liveCache } from '../../data/api.ts';
import { useNow } from '../../data/clock.ts';
import { usePreferences } from '../../data/preferences.ts';
import { share, useShared } from '../../data/shared.ts';
import { useText } from '../../i18n/text.tsx';
import { timeParts, zoneOf } from '../../model/time.ts';
import { Command } from '../../parts/copy.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import styles from './shell.module.css';

/** Without a stream for this long the page counts as stale and shows its age. */
const STALE_AFTER = 3_000;

/** Since when; null while changes come in. */
const frozenAt = share<number | null>(null);

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
  const frozen = useShared(frozenAt);
  const [asked, setAsked] = useState(false);
  const toggle = () => {
    frozenAt.set(frozen === null ? Date.now() : null);
    liveCache.freeze(frozen === null);
  };
  useKeys([{ keys: ';', label: text(frozen === null ? 'live.freeze' : 'live.thaw'), run: toggle }]);
  const stale = lostAt !== null && now - lostAt >= STALE_AFTER;
  const state = frozen !== null ? 'frozen' : lostAt === null ? 'live' : stale ? 'stale' : 'reconnecting';
  const clock = (at: number) => {
    const { time, offset } = timeParts(at, zoneOf(zone));
    return `${time} ${offset}`;
  };
  const words = {
    live: text('live.live'),
    reconnecting: text('live.reconnecting'),
    stale: text('live.stale', { time: clock(lostAt ?? now) }),
    frozen: text('live.frozen', { time: clock(frozen ?? now) }),
  };
  const does = state === 'stale' ? text('live.help') : text(frozen === null ? 'live.freeze' : 'live.thaw');
  return (
    <Popover
      opened={asked && state === 'stale'}
      onChange={setAsked}
      position="bottom-end"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <button
          type="button"
          className={styles.live}
          data-state={state}
          aria-pressed={state === 'stale' ? undefined : frozen !== null}
          aria-label={`${words[state]}. ${does}`}
          data-hint={state === 'stale' ? does : `${does}  ;`}
          onClick={state === 'stale' ? () => setAsked(!asked) : toggle}
        >
          <span className={styles.liveWord} role="status">
            {words[state]}
          </span>
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles.help} aria-label={text('live.help')}>
        <p>{words.stale}</p>
        <p>{text('error.awayDetail')}</p>
        <Command line="orrery doctor" />
      </Popover.Dropdown>
    </Popover>
  );
}
