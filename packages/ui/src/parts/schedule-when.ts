/** When a schedule fires, in words. */
import { useLanguage } from '../i18n/text.tsx';
import { interval } from '../model/time.ts';
import { cronWords } from './cron-words.ts';

/** What decides when it fires. */
interface When {
  readonly cron?: string | undefined;
  readonly every?: number | undefined;
  readonly timezone: string;
}

/** Returns the words; `whole` adds the cron itself: words are short, and its author may want to see it. */
export function useScheduleWords(): (schedule: When, whole?: boolean) => string {
  const speech = useLanguage();
  return ({ cron, every, timezone }, whole = false) => {
    if (cron === undefined) return speech.text('cron.every', { time: interval(every ?? 0, speech.units) });
    const words = `${cronWords(cron, speech)} ${timezone}`;
    return whole && !words.startsWith(cron) ? `${words} · ${cron}` : words;
  };
}
