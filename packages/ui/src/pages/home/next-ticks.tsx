/** What fires next. */
import { scheduleAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import type { AnswerOf } from '../../data/client.ts';
import { useNow } from '../../data/clock.ts';
import { tellInFocus } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count } from '../../model/number.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './home.module.css';

const SHOWN = 8;

interface NextTicksProps {
  readonly ticks: AnswerOf<'showOverview'>['nextTicks'];
  /** How many schedules are due, with these. */
  readonly due: AnswerOf<'showOverview'>['dueSchedules'];
}

export function NextTicks({ ticks, due: all }: NextTicksProps) {
  const { text, locale } = useLanguage();
  const rest = all.value - Math.min(ticks.length, SHOWN);
  const now = useNow();
  return (
    <section className={styles.panel}>
      <h2>{text('home.nextTicks')}</h2>
      {ticks.length === 0 && <p className="dim">{text('home.noTicks')}</p>}
      <ul className={styles.rows}>
        {ticks.slice(0, SHOWN).map(({ schedule, workflow, name, due, timezone }) => (
          <li
            key={`${schedule} ${due}`}
            {...tellInFocus({
              name: `${workflow} · ${name}`,
              address: scheduleAddress(schedule),
              request: `/schedules/${schedule}`,
              command: `orrery schedules ticks ${schedule}`,
            })}
          >
            <span className={styles.grow}>
              <Link to={scheduleAddress(schedule)}>
                <CutName name={`${workflow} · ${name}`} />
              </Link>
            </span>
            {/* What has just fired is listed until the next answer. */}
            <Time at={Math.max(Date.parse(due), now)} zone={timezone} />
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p className="dim">
          {text('home.moreTicks', { count: `${count(rest, locale)}${all.more ? '+' : ''}` })}
        </p>
      )}
    </section>
  );
}
