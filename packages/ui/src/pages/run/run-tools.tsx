/** Above the views of a run: how many tasks are in which state, and the way that decided its end. */
import { Switch } from '@mantine/core';
import { useLanguage } from '../../i18n/text.tsx';
import { count as countText, percent } from '../../model/number.ts';
import { type RunTasks, timesOf } from '../../model/run.ts';
import { lookOf } from '../../model/state.ts';
import { StateIcon, useStateWord } from '../../parts/state-badge.tsx';
import style from './run.module.css';

/** The number of tasks in each state; pressing one filters by it. */
export function StateCounts(props: {
  tasks: RunTasks;
  chosen: readonly string[];
  onChoose: (states: string | undefined) => void;
}) {
  const { tasks, chosen, onChoose } = props;
  const { text, locale } = useLanguage();
  const word = useStateWord();
  const counts = Object.entries(tasks.counts).sort(([a], [b]) =>
    lookOf(a).family.localeCompare(lookOf(b).family),
  );
  return (
    <div className={style.counts}>
      {counts.map(([state, count]) => {
        const pressed = chosen.includes(state);
        const next = pressed ? chosen.filter((one) => one !== state) : [...chosen, state];
        return (
          <button
            key={state}
            type="button"
            className={style.count}
            aria-pressed={pressed}
            data-hint={text('run.filter', { state: word(state) })}
            onClick={() => onChoose(next.length > 0 ? next.join(',') : undefined)}
          >
            <StateIcon state={state} size={12} />
            {word(state)} {countText(count, locale)}
          </button>
        );
      })}
    </div>
  );
}

/** Shows the critical path, and how much of it was waiting. */
export function PathSwitch(props: {
  tasks: RunTasks;
  path: readonly number[];
  on: boolean;
  onSwitch: (on: boolean) => void;
}) {
  const { tasks, path, on, onSwitch } = props;
  const { text, locale } = useLanguage();
  const sums = path.map((i) => timesOf(tasks.tasks[i], 0));
  const waited = sums.reduce((sum, times) => sum + (times.waited ?? 0), 0);
  const ran = sums.reduce((sum, times) => sum + (times.ran ?? 0), 0);
  const label =
    on && path.length > 0
      ? text('run.pathShare', {
          tasks: path.length,
          share: percent(waited / Math.max(waited + ran, 1), locale),
        })
      : text('run.path');
  return <Switch size="xs" label={label} checked={on} onChange={() => onSwitch(!on)} />;
}
