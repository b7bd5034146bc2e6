/** The picture above the list, bars or durations, and the range of time that both have. */
import { SegmentedControl } from '@mantine/core';
import { memo } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useText } from '../../i18n/text.tsx';
import type { RunsFilter } from '../../model/runs.ts';
import { Histogram } from './histogram.tsx';
import { RangeSelect } from './range-select.tsx';
import style from './runs.module.css';
import { instantOf, type RunsSearch, type SetRunsSearch } from './runs-fields.ts';
import { Scatter } from './scatter.tsx';

interface PictureProps {
  readonly filter: RunsFilter;
  readonly search: RunsSearch;
  readonly setSearch: SetRunsSearch;
}

/** Drawn again with another filter, not with every page of the list. */
export const Picture = memo(function Picture({ filter, search, setSearch }: PictureProps) {
  const text = useText();
  const go = useGo();
  const onRange = (from: string | undefined, to: string | undefined) =>
    setSearch({ from, to }, { push: true });
  const pin = () => {
    const now = Date.now();
    onRange(new Date(instantOf(search.from ?? '-24h', now)).toISOString(), new Date(now).toISOString());
  };
  return (
    <div className={style.strip}>
      {search.plot === 'scatter' ? (
        <Scatter filter={filter} onRange={onRange} onOpen={(id) => go(runAddress(id))} />
      ) : (
        <Histogram filter={filter} onRange={onRange} />
      )}
      <div className={style.side}>
        <RangeSelect from={search.from} to={search.to} onRange={onRange} onPin={pin} />
        <SegmentedControl
          size="xs"
          aria-label={text('runs.plot')}
          value={search.plot ?? 'bars'}
          data={[
            { value: 'bars', label: text('runs.plot.bars') },
            { value: 'scatter', label: text('runs.plot.scatter') },
          ]}
          onChange={(plot) => setSearch({ plot: plot === 'scatter' ? plot : undefined }, { push: true })}
        />
      </div>
    </div>
  );
});
