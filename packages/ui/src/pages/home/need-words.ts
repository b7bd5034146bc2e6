/**
 * The sentence of a need. English is the server's own text, as in a terminal; other languages are built from
 * the same parts.
 */
import type { Key } from '../../i18n/en.ts';
import { useLanguage } from '../../i18n/text.tsx';
import type { Need } from './need.ts';

const sentences: Readonly<Record<Need['kind'], Key>> = {
  'no-master': 'need.noMaster',
  'no-worker': 'need.noWorker',
  failed: 'need.failed',
  approval: 'need.approval',
  deadline: 'need.deadline',
  overtime: 'need.overtime',
  'late-tick': 'need.lateTick',
  'wrong-clock': 'need.wrongClock',
  'not-taken': 'need.notTaken',
  'node-missing': 'need.nodeMissing',
  'node-unhealthy': 'need.nodeUnhealthy',
  undelivered: 'need.undelivered',
  'job-idle': 'need.jobIdle',
  'job-unowned': 'need.jobUnowned',
  'claim-alarm': 'need.claimAlarm',
  'limit-full': 'need.limitFull',
  'skipped-ticks': 'need.skippedTicks',
};

/** Describes needs in the present language. */
export function useNeedWords(): (need: Need) => string {
  const { language, text } = useLanguage();
  return ({ kind, text: said, fields }) => {
    if (language === 'en') return said;
    const values = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : String(value ?? (name === 'last' ? 'none' : '')),
    ]);
    return text(sentences[kind], Object.fromEntries(values));
  };
}
