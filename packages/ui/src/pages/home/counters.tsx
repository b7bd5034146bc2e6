/** How much is going on, in one line of figures. */
import type { ReactNode } from 'react';
import { runsAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import type { AnswerOf } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count, exact } from '../../model/number.ts';
import { duration } from '../../model/time.ts';
import { Duration } from '../../parts/time.tsx';
import styles from './home.module.css';

type CountersAnswer = AnswerOf<'showOverview'>['counters'];

/** Every state of a run that has started and not ended: what the counter counts is what its link lists. */
const started = 'running,pausing,paused,stopping,failing';

export function Counters({ counters, project }: { counters: CountersAnswer; project?: string }) {
  const { text, locale, units } = useLanguage();
  const bounded = ({ value, more }: { value: number; more: boolean }) => (
    <span data-hint={value >= 100_000 ? exact(value, locale) : undefined}>
      {count(value, locale)}
      {more && '+'}
    </span>
  );
  const { running, queued, ready, waiting, oldestWait, startP95, ticksNextHour, slots, masters, workers } =
    counters;
  const shown: readonly (readonly [label: string, value: ReactNode])[] = [
    [
      text('home.running'),
      <Link key="running" to={runsAddress({ project, state: started })}>
        {bounded(running)}
      </Link>,
    ],
    [
      text('home.queued'),
      <Link key="queued" to={runsAddress({ project, state: 'queued,waiting' })}>
        {bounded(queued)}
      </Link>,
    ],
    [text('home.ready'), bounded({ value: ready.value + waiting.value, more: ready.more || waiting.more })],
    [text('home.oldestWait'), oldestWait === null ? '–' : <Duration key="oldest" from={oldestWait} />],
    [text('home.startP95'), startP95 === null ? '–' : duration(startP95, units)],
    [text('home.ticksNextHour'), bounded(ticksNextHour)],
    [text('home.slots'), `${count(slots.used, locale)}/${count(slots.total, locale)}`],
    [text('home.masters'), `${masters.alive}/${masters.total}`],
    [text('home.workers'), `${workers.alive}/${workers.total}`],
  ];
  return (
    <dl className={styles.counters}>
      {shown.map(([label, value]) => (
        <div key={label} className={styles.counter}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
