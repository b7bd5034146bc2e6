/** A cron that was pasted or is being written: what it means, when it fires, and the lines of a file that have it. */
import { TextInput } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { Command } from '../../parts/copy.tsx';
import { CronPreview } from '../../parts/cron-preview.tsx';
import { useTyping } from '../../parts/use-typing.ts';
import style from './schedules.module.css';
import { useSchedulesSearch } from './search.ts';

export function Explain() {
  const text = useText();
  const [search, setSearch] = useSchedulesSearch();
  const { cron = '0 2 * * *', tz = 'UTC' } = search;
  const typedCron = useTyping(cron, (next) => setSearch({ cron: next }));
  const typedZone = useTyping(tz, (next) => setSearch({ tz: next }));
  return (
    <div className={style.explain}>
      <TextInput label={text('schedule.cron')} description={text('schedule.cronHint')} {...typedCron} />
      <TextInput label={text('schedule.zone')} {...typedZone} />
      <CronPreview cron={cron} zone={tz} />
      <p>{text('schedules.intoFile')}</p>
      <Command line={`schedules: [{ name: main, cron: '${cron}', timezone: ${tz} }]`} />
    </div>
  );
}
