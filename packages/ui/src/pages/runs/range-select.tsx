/** The range of time of the list: so long ago, a range that was picked, or all of it. */
import { Button, Select } from '@mantine/core';
import { useLanguage } from '../../i18n/text.tsx';

/** Ranges that end now, as the address writes them. */
export const ranges = ['-1h', '-24h', '-7d', '-30d'] as const;

interface RangeSelectProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onRange: (from: string | undefined, to: string | undefined) => void;
  readonly onPin: () => void;
}

export function RangeSelect({ from, to, onRange, onPin }: RangeSelectProps) {
  const { text } = useLanguage();
  const known = to === undefined && ranges.find((range) => range === from);
  const value = from === undefined && to === undefined ? 'all' : known || 'other';
  return (
    <div>
      <Select
        size="xs"
        w={150}
        aria-label={text('runs.range')}
        allowDeselect={false}
        value={value}
        data={[
          { value: '-1h', label: text('runs.range.1h') },
          { value: '-24h', label: text('runs.range.24h') },
          { value: '-7d', label: text('runs.range.7d') },
          { value: '-30d', label: text('runs.range.30d') },
          { value: 'all', label: text('runs.range.all') },
          ...(value === 'other' ? [{ value: 'other', label: text('runs.range.other') }] : []),
        ]}
        onChange={(next) => onRange(next === 'all' ? undefined : (next ?? undefined), undefined)}
      />
      {known && (
        <Button variant="subtle" onClick={onPin}>
          {text('runs.pin')}
        </Button>
      )}
      {value === 'other' && (
        <Button variant="subtle" onClick={() => onRange(undefined, undefined)}>
          {text('runs.unpin')}
        </Button>
      )}
    </div>
  );
}
