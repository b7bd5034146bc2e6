/**
 * One change of many runs: asked first without doing it, so that what is refused is known by reason; then sent
 * portion by portion, with progress, an end to it at any time, and every refusal at the end.
 */
import { Button, Group, Modal } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { queries } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import type { Key } from '../../i18n/en.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count } from '../../model/number.ts';
import { byReason, portions, type Refused, type RunsFilter } from '../../model/runs.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import style from './runs.module.css';

/** What can be done with many runs. */
export const bulkActions = ['recover', 'rerun', 'pause', 'resume', 'stop'] as const;
export type BulkAction = (typeof bulkActions)[number];

/** The words for it. */
export const bulkWords = {
  recover: 'run.recover',
  rerun: 'run.rerun',
  pause: 'run.pause',
  resume: 'run.resume',
  stop: 'run.stop',
} as const satisfies Record<BulkAction, Key>;

/** Chosen runs, or all that a filter matches up to a time. */
export type BulkChoice = { readonly ids: readonly number[] } | { readonly filter: RunsFilter };

const AT_ONCE = 1_000;

interface Result {
  readonly done: number;
  readonly refused: readonly Refused[];
}

type Step = 'asking' | 'asked' | 'sending' | 'sent';

interface BulkProps {
  readonly action: BulkAction;
  readonly choice: BulkChoice;
  readonly onClose: () => void;
}

export function Bulk({ action, choice, onClose }: BulkProps) {
  const { text, locale } = useLanguage();
  const [step, setStep] = useState<Step>('asking');
  const [result, setResult] = useState<Result>({ done: 0, refused: [] });
  const [error, setError] = useState<Error>();
  const [allowed, setAllowed] = useState(0);
  const control = useRef(new AbortController());
  // Runs that come while one decides are not meant.
  const [frozen] = useState<BulkChoice>(() =>
    'ids' in choice
      ? choice
      : { filter: { ...choice.filter, to: choice.filter.to ?? new Date().toISOString() } },
  );
  const walk = async (dryRun: boolean) => {
    control.current = new AbortController();
    setResult({ done: 0, refused: [] });
    setError(undefined);
    setStep(dryRun ? 'asking' : 'sending');
    try {
      let sum: Result = { done: 0, refused: [] };
      for await (const part of walkRuns(action, frozen, dryRun, control.current.signal)) {
        sum = { done: sum.done + part.done, refused: [...sum.refused, ...part.refused] };
        setResult(sum);
      }
      if (dryRun) setAllowed(sum.done);
      setStep(dryRun ? 'asked' : 'sent');
    } catch (failure) {
      if (!control.current.signal.aborted)
        setError(failure instanceof Error ? failure : new Error(String(failure)));
      setStep(dryRun ? 'asked' : 'sent');
    }
    if (!dryRun) await queries.invalidateQueries({ queryKey: ['listRuns'] });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it is opened
  useEffect(() => {
    void walk(true);
    return () => control.current.abort();
  }, []);

  const word = text(bulkWords[action]);
  const looked = result.done + result.refused.length;
  const title =
    'ids' in choice
      ? text('runs.bulk.title', { action: word, count: choice.ids.length })
      : text('runs.bulk.titleAll', { action: word });
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': text('close') }}
    >
      <p role="status">
        {step === 'asking' && text('runs.bulk.looking', { count: count(looked, locale) })}
        {step === 'asked' &&
          text('runs.bulk.verdict', { allowed: result.done, refused: result.refused.length })}
        {step === 'sending' &&
          text('runs.bulk.progress', { done: looked, total: allowed + result.refused.length })}
        {step === 'sent' &&
          text('runs.bulk.done', { action: word, count: result.done, refused: result.refused.length })}
      </p>
      {error && <ErrorPanel error={error} />}
      {byReason(result.refused).map(([reason, ids]) => (
        <details key={reason} className={style.reasons}>
          <summary>{text('runs.bulk.refusedBy', { count: count(ids.length, locale), reason })}</summary>
          <div className={style.ids}>
            {ids.map((id) => (
              <Link key={id} to={runAddress(id)}>
                {id}
              </Link>
            ))}
          </div>
        </details>
      ))}
      {step === 'asked' && result.done === 0 && !error && <p className="dim">{text('runs.bulk.nothing')}</p>}
      <Group justify="flex-end" mt={16} gap={8}>
        {step === 'sending' ? (
          <Button onClick={() => control.current.abort()}>{text('runs.bulk.abort')}</Button>
        ) : (
          <Button onClick={onClose}>{text(step === 'sent' ? 'close' : 'cancel')}</Button>
        )}
        {step !== 'sent' && (
          <Button
            variant="filled"
            color={action === 'stop' ? 'red' : undefined}
            loading={step === 'sending'}
            disabled={step !== 'asked' || result.done === 0}
            onClick={() => void walk(false)}
          >
            {word}
          </Button>
        )}
      </Group>
    </Modal>
  );
}

/** Goes through all of them, a portion a request. */
async function* walkRuns(
  action: BulkAction,
  choice: BulkChoice,
  dryRun: boolean,
  signal: AbortSignal,
): AsyncGenerator<Result> {
  if ('ids' in choice) {
    for (const ids of portions(choice.ids, AT_ONCE)) {
      const answer = await call('bulkRuns', { body: { action, ids: [...ids], dryRun } }, { signal });
      yield { done: answer.done.length, refused: answer.refused };
    }
    return;
  }
  let after: number | undefined;
  do {
    const body = { action, filter: choice.filter as object, after, dryRun };
    const answer = await call('bulkRuns', { body }, { signal });
    yield { done: answer.done.length, refused: answer.refused };
    after = answer.next ?? undefined;
  } while (after !== undefined);
}
