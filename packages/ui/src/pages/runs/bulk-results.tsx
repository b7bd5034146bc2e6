/** The result of each run of a bulk, page by page, with the run's current state. */
import { Button, SegmentedControl } from '@mantine/core';
import { runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { usePages } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count } from '../../model/number.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import style from '../run/run.module.css';
import { type Bulk, type BulkOutcome, bulkOutcomes, outcomeWords } from './bulk-words.ts';
import own from './runs.module.css';

const PAGE = 100;

interface BulkResultsProps {
  readonly bulk: Bulk;
  readonly outcome: BulkOutcome | undefined;
  onOutcome(outcome: BulkOutcome | undefined): void;
}

export function BulkResults({ bulk, outcome, onOutcome }: BulkResultsProps) {
  const { text, locale, sentence } = useLanguage();
  const pages = usePages('listBulkResults', { id: bulk.id, outcome, limit: PAGE });
  const rows = pages.data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <section className={style.section} aria-label={text('runs.bulk.results')}>
      <h3>{text('runs.bulk.results')}</h3>
      <SegmentedControl
        size="xs"
        aria-label={text('runs.bulk.outcome')}
        value={outcome ?? 'all'}
        data={[
          { value: 'all', label: text('runs.bulk.outcome.all', { count: count(bulk.total, locale) }) },
          ...bulkOutcomes.map((value) => ({
            value,
            label: text(outcomeWords[value].many, { count: count(bulk[value], locale) }),
          })),
        ]}
        onChange={(value) => onOutcome(bulkOutcomes.find((each) => each === value))}
      />
      {pages.error && !pages.data ? (
        <ErrorPanel error={pages.error} retry={() => void pages.refetch()} />
      ) : pages.isPending ? (
        <SkeletonRows rows={6} />
      ) : rows.length === 0 ? (
        <p className="dim">{text('runs.bulk.none')}</p>
      ) : (
        <ul className={own.results}>
          {rows.map((row) => (
            <li key={row.run}>
              <span className={own.resultRun}>
                {row.name === null ? (
                  row.run
                ) : (
                  <Link to={runAddress(row.run)}>
                    {row.project}/{row.name} {row.run}
                  </Link>
                )}
              </span>
              {row.state !== null && <StateBadge state={row.state} />}
              <span className={row.reason === null ? 'dim' : own.error}>
                {row.reason === null ? text(outcomeWords[row.outcome].one) : sentence(row.reason, row)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {pages.hasNextPage && (
        <Button loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {text('runs.bulk.more')}
        </Button>
      )}
    </section>
  );
}
