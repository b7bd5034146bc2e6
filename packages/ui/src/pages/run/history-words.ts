/** The words for what happened to a run. */
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { useStateWord } from '../../parts/state-badge.tsx';
import { controlWords } from '../../parts/use-control.ts';

/** One thing that happened to a run. */
export type HistoryEvent = AnswerOf<'listRunEvents'>['events'][number];

/** Describes an event, without its time and task. */
export function useEventWords(): (event: HistoryEvent) => string {
  const text = useText();
  const word = useStateWord();
  const controlName = (name: string) =>
    Object.hasOwn(controlWords, name) ? text(controlWords[name as keyof typeof controlWords]) : name;
  const action = ({ action, actor, epoch }: HistoryEvent): string => {
    const by = actor ?? '';
    if (action === null) return by;
    if (action === 'taken-over') return text('history.takenOver', { by, epoch: epoch ?? 'none' });
    if (action === 'broken') return text('history.broken', { by });
    const [, control, outcome] = /^(.+?)(?:-(done|refused))?$/.exec(action) ?? [];
    return text('history.action', { control: controlName(control), outcome: outcome ?? 'asked', by });
  };
  return (event) => {
    const state = word(event.state ?? '');
    const attempt = { number: event.number ?? 1, shard: event.shard ?? 'none' };
    switch (event.kind) {
      case 'created':
        return text('history.created', { trigger: event.state ?? '' });
      case 'started':
        return text('history.started');
      case 'action':
        return action(event);
      case 'queued':
        return text('history.queued', attempt);
      case 'assigned':
        return text('history.assigned', { ...attempt, worker: event.worker ?? '' });
      case 'attempt':
        return text('history.attempt', { ...attempt, state, worker: event.worker ?? 'none' });
      case 'task':
        return text('history.task', { state, round: event.round ?? 1 });
      case 'round':
        return text('history.round', { state, round: event.round ?? 1 });
      case 'ended':
        return text('history.ended', { state });
    }
  };
}
