/** What else a workflow is set to: how many run at once, with what priority, where, and what ends it. */
import type { ReactNode } from 'react';
import { useLanguage } from '../../i18n/text.tsx';
import { interval } from '../../model/time.ts';
import type { Shown } from './search.ts';
import style from './workflow.module.css';

export function Settings({ shown: { workflow } }: { shown: Shown }) {
  const { text, units } = useLanguage();
  const { timeout, deadline, triggers } = workflow;
  const facts: readonly (readonly [label: string, value: ReactNode])[] = [
    [text('workflow.set.mode'), <code key="mode">{workflow.mode}</code>],
    [text('workflow.set.limit'), workflow.limit ?? text('workflow.set.noLimit')],
    [text('workflow.set.onePerPeriod'), text(workflow.onePerPeriod ? 'workflow.yes' : 'workflow.no')],
    [text('workflow.set.onNoRoom'), <code key="room">{workflow.onNoRoom ?? 'wait'}</code>],
    [text('start.priority'), workflow.priority],
    [text('workflow.set.group'), workflow.workerGroup],
    [text('workflow.set.environment'), workflow.environment ?? '–'],
    [text('workflow.set.tenant'), workflow.tenant],
    [text('workflow.set.zone'), workflow.timezone],
    [text('workflow.set.onFailure'), <code key="failure">{workflow.onFailure}</code>],
    [
      text('workflow.set.timeout'),
      timeout
        ? text('workflow.set.timeoutAfter', { time: interval(timeout.after, units), action: timeout.action })
        : '–',
    ],
    [text('workflow.set.deadline'), deadline ? `${deadline.at} ${deadline.timezone}` : '–'],
    [text('workflow.set.tags'), workflow.tags.join(', ') || '–'],
    [text('workflow.set.triggers'), triggers.map(({ name }) => name).join(', ') || '–'],
  ];
  return (
    <div className={style.tab}>
      <dl className={style.settings}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="dim">{text('workflow.set.note')}</p>
    </div>
  );
}
