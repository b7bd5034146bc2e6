/** One change of many runs, beside the list: how far it is, its end at any time, and what became of each run. */
import { useState } from 'react';
import { runsAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count } from '../../model/number.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Id } from '../../parts/copy.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import style from '../run/run.module.css';
import { BulkResults } from './bulk-results.tsx';
import { type Bulk, type BulkOutcome, bulkStates, bulkWords } from './bulk-words.ts';
import own from './runs.module.css';

interface BulkPanelProps {
  readonly id: number;
  /** Which of its runs are listed. */
  readonly outcome: BulkOutcome | undefined;
  onOutcome(outcome: BulkOutcome | undefined): void;
  onClose(): void;
}

export function BulkPanel({ id, outcome, onOutcome, onClose }: BulkPanelProps) {
  const { text } = useLanguage();
  const { data: bulk, error, refetch } = useApi('showBulk', { id });
  return (
    <Inspector
      label={text('runs.bulk.panel', { id })}
      title={<h2>{text('runs.bulk.panel', { id })}</h2>}
      onClose={onClose}
    >
      {bulk ? (
        <div className={style.stack}>
          <Progress bulk={bulk} />
          <Facts bulk={bulk} />
          <BulkResults bulk={bulk} outcome={outcome} onOutcome={onOutcome} />
        </div>
      ) : error ? (
        <ErrorPanel error={error} retry={() => void refetch()} />
      ) : (
        <SkeletonRows rows={6} />
      )}
    </Inspector>
  );
}

function Progress({ bulk }: { bulk: Bulk }) {
  const { text, locale, sentence } = useLanguage();
  const [asking, setAsking] = useState(false);
  const abort = useAction('abortBulk', ['showBulk', 'listBulks']);
  const { id, state, gathering, total, told, refused, left } = bulk;
  const { word, look } = bulkStates[state];
  const come = told + refused;
  return (
    <section className={style.section} aria-label={text('runs.bulk.progress')}>
      <div className={own.bulkHead}>
        <StateIcon state={look} />
        <strong>{text('runs.bulk.what', { action: text(bulkWords[bulk.action]), count: total })}</strong>
        <span role="status">{text(word)}</span>
        <span className={own.grow} />
        <ActionButton
          action={bulk.actions.find(({ name }) => name === 'abort')}
          label={text('runs.bulk.abort')}
          danger
          onRun={() => setAsking(true)}
        />
      </div>
      <div
        className={own.progress}
        role="progressbar"
        aria-label={text('runs.bulk.progress')}
        aria-valuenow={come}
        aria-valuemin={0}
        aria-valuemax={total}
        data-state={state}
      >
        <span style={{ width: `${total === 0 ? 0 : (come / total) * 100}%` }} />
      </div>
      <p>
        {gathering
          ? text('runs.bulk.gathering', { count: count(total, locale) })
          : text('runs.bulk.counts', { told, refused, left })}
      </p>
      {bulk.refusals.length > 0 && (
        <ul className={own.reasons}>
          {bulk.refusals.map((each) => (
            <li key={each.reason}>
              {text('runs.bulk.refusedBy', {
                count: count(each.count, locale),
                reason: sentence(each.reason, each),
              })}
            </li>
          ))}
        </ul>
      )}
      {abort.error && <ErrorPanel error={abort.error} />}
      {asking && (
        <Confirm
          title={text('runs.bulk.abortTitle', { id })}
          deed={text('runs.bulk.abort')}
          danger
          pending={abort.isPending}
          onConfirm={() => abort.mutate({ id, body: {} }, { onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>{text('runs.bulk.abortText', { told, left })}</p>
        </Confirm>
      )}
    </section>
  );
}

function Facts({ bulk }: { bulk: Bulk }) {
  const { text } = useLanguage();
  const filter = bulk.filter === null ? null : shownFilter(bulk.filter as Record<string, unknown>);
  return (
    <dl className={style.facts}>
      <dt>{text('runs.bulk.id')}</dt>
      <dd>
        <Id id={String(bulk.id)} />
      </dd>
      <dt>{text('runs.bulk.by')}</dt>
      <dd>
        {bulk.by} · <Time at={bulk.at} focusable />
      </dd>
      {bulk.tags !== null && (
        <>
          <dt>{text('run.tags')}</dt>
          <dd>{bulk.tags.join(', ')}</dd>
        </>
      )}
      {bulk.reason !== null && (
        <>
          <dt>{text('runs.bulk.why')}</dt>
          <dd>{bulk.reason}</dd>
        </>
      )}
      <dt>{text('runs.bulk.meant')}</dt>
      <dd>
        {filter === null ? (
          text('runs.bulk.given')
        ) : (
          <Link to={runsAddress({ ...filter, bulk: String(bulk.id) })}>
            {Object.entries(filter)
              .map(([name, value]) => `${name}: ${value}`)
              .join(' · ') || text('runs.bulk.all')}
          </Link>
        )}
      </dd>
      {bulk.abortedBy !== null && (
        <>
          <dt>{text('runs.bulk.abortedBy')}</dt>
          <dd>
            {bulk.abortedBy} · <Time at={bulk.endedAt} focusable />
          </dd>
        </>
      )}
    </dl>
  );
}

/** A filter as an address has it. */
function shownFilter(filter: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value === false ? [] : [[name, String(value)]])),
  );
}
