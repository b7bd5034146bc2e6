/** Runs put together by workflow or by error: how many, how they stand, the first and the last. Opening one lists it. */
import { type ReactNode, useMemo } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count as countText } from '../../model/number.ts';
import type { RunsFilter } from '../../model/runs.ts';
import { absoluteTime, zoneOf } from '../../model/time.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import type { ListControl } from '../../parts/list/use-list-place.ts';
import { type Column, VirtualList } from '../../parts/list/virtual-list.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Time } from '../../parts/time.tsx';
import style from './runs.module.css';

/** What runs are put together by. */
export type Grouping = 'workflow' | 'error';

type Group = AnswerOf<'listRunGroups'>['groups'][number];

interface GroupsProps {
  readonly filter: RunsFilter;
  readonly by: Grouping;
  readonly control: ListControl;
  onOpen(key: string): void;
  /** Shown when there is none. */
  readonly nothing: ReactNode;
}

/** What a group shares: its workflow, or what its errors have in common. */
const keyOf = ({ workflow, fingerprint }: Group) => workflow ?? fingerprint ?? '';

export function Groups({ filter, by, control, onOpen, nothing }: GroupsProps) {
  const { text } = useLanguage();
  const { data, error, isPending, isPlaceholderData, refetch } = useApi(
    'listRunGroups',
    { ...(filter as object), by },
    { keep: true, every: 15_000 },
  );
  const columns = useColumns(by);
  const zone = zoneOf(usePreferences().zone);
  if (error && !data) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (isPending || !data) return <SkeletonRows rows={20} />;
  if (data.groups.length === 0) return isPlaceholderData ? <SkeletonRows rows={20} /> : nothing;
  return (
    <>
      {data.since !== null && (
        <p className={style.note} role="note">
          {text('runs.groups.since', { time: absoluteTime(Date.parse(data.since), zone) })}
        </p>
      )}
      <VirtualList
        label={text('runs.groups')}
        rows={data.groups}
        columns={columns}
        control={control}
        dimmed={isPlaceholderData}
        idOf={keyOf}
        nameOf={keyOf}
        onOpen={onOpen}
        foot={data.more && <p className={style.note}>{text('runs.groups.more')}</p>}
      />
    </>
  );
}

function useColumns(by: Grouping): readonly Column<Group>[] {
  const { text, locale } = useLanguage();
  return useMemo(() => {
    const number = (id: string, label: string, of: (group: Group) => number): Column<Group> => ({
      id,
      label,
      width: '80px',
      end: true,
      cell: (group) => countText(of(group), locale),
    });
    const run = (id: 'first' | 'last', label: string): Column<Group> => ({
      id,
      label,
      width: '176px',
      cell: (group) => (
        <span className={style.cut}>
          <Link to={runAddress(group[id].id)} tabIndex={-1} className="mono">
            {group[id].id}
          </Link>{' '}
          <Time at={group[id].at} />
        </span>
      ),
    });
    return [
      by === 'workflow'
        ? {
            id: 'workflow',
            label: text('runs.column.workflow'),
            width: 'minmax(160px, 2fr)',
            cell: ({ workflow }) => <CutName name={workflow ?? ''} />,
          }
        : {
            id: 'error',
            label: text('runs.groups.error'),
            width: 'minmax(200px, 3fr)',
            cell: ({ fingerprint, error }) => (
              <span className={`${style.cut} ${style.error}`} data-hint={error ?? undefined}>
                {fingerprint}
              </span>
            ),
          },
      number('count', text('runs.groups.count'), ({ count }) => count),
      number('failed', text('runs.groups.failed'), ({ failed }) => failed),
      ...(by === 'workflow' ? [number('open', text('runs.groups.open'), ({ open }) => open)] : []),
      run('first', text('runs.groups.first')),
      run('last', text('runs.groups.last')),
    ];
  }, [by, text, locale]);
}
