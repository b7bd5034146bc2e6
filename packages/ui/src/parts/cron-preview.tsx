/** What a cron means, as one types it: words, the next ticks, and the days on which clocks change. */
import { useApi } from '../data/api.ts';
import { useNow } from '../data/clock.ts';
import { useLanguage } from '../i18n/text.tsx';
import { timeParts } from '../model/time.ts';
import { zoneChanges } from '../model/zone-change.ts';
import styles from './cron-preview.module.css';
import { cronWords } from './cron-words.ts';
import { ErrorPanel } from './error-panel.tsx';

interface CronPreviewProps {
  readonly cron: string;
  readonly zone: string;
  readonly count?: number;
}

export function CronPreview({ cron, zone, count = 10 }: CronPreviewProps) {
  const speech = useLanguage();
  const { text } = speech;
  const wanted = cron.trim() === '' ? null : { body: { cron, tz: zone, count } };
  const { data, error, refetch } = useApi('previewCron', wanted, { keep: true });
  if (wanted === null) return null;
  if (error) return <ErrorPanel error={error} retry={() => void refetch()} />;
  const fields = cron.trim().split(/\s+/).length;
  return (
    <div className={styles.preview} role="status">
      <p>
        <strong>{cronWords(cron, speech)}</strong>{' '}
        <span className="dim">{text(fields === 5 ? 'cron.unix' : 'cron.quartz', { fields })}</span>
      </p>
      {data && data.next.length === 0 && <p>{text('cron.never')}</p>}
      {data && data.next.length > 0 && (
        <ol className={styles.ticks} aria-label={text('cron.next')}>
          {data.next.map((at) => (
            <li key={at}>{local(at, zone)}</li>
          ))}
        </ol>
      )}
      <ClockChanges cron={cron} zone={zone} />
    </div>
  );
}

/** `Sun 2026-03-29 02:30 UTC+1`. */
function local(at: string, zone: string): string {
  const { date, time, offset } = timeParts(Date.parse(at), safe(zone));
  return `${date} ${time} ${offset}`;
}

const DAYS = 370;
const MOST_TICKS = 30;

/** What the engine does on the day of each change, beside the day before: nothing is worked out here. */
function ClockChanges({ cron, zone }: { cron: string; zone: string }) {
  // Rounded to the day, so that it requests at most once a day.
  const today = Math.floor(useNow() / 86_400_000) * 86_400_000;
  return zoneChanges(zone, today, DAYS)
    .slice(0, 2)
    .map((change) => <ClockChange key={change.at} cron={cron} zone={zone} {...change} />);
}

function ClockChange({ cron, zone, at, by }: { cron: string; zone: string; at: number; by: number }) {
  const { text } = useLanguage();
  const { date } = timeParts(at, safe(zone));
  const before = timeParts(at - 86_400_000, safe(zone)).date;
  const from = new Date(at - 2 * 86_400_000).toISOString();
  const { data } = useApi('previewCron', { body: { cron, tz: zone, from, count: 150 } }, { keep: true });
  if (!data) return null;
  const on = (day: string) =>
    data.next.flatMap((tick) => {
      const parts = timeParts(Date.parse(tick), safe(zone));
      return parts.date === day ? [parts.time.slice(0, 5)] : [];
    });
  const [usual, then] = [on(before), on(date)];
  const isSame = usual.join() === then.join() || usual.length > MOST_TICKS;
  const values = {
    date,
    minutes: Math.abs(by),
    way: by > 0 ? 'forward' : 'back',
    usual: usual.join(', ') || '–',
    times: then.join(', ') || 'none',
  };
  return (
    <p className={isSame ? 'dim' : styles.change}>
      {text(isSame ? 'cron.clockSame' : 'cron.clockOther', values)}
    </p>
  );
}

/** An unknown zone is still being typed. */
function safe(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}
