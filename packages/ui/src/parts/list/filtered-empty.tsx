/** A list whose filters let nothing through: how many there are without them, and one button for each to drop it. */
import { Button } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { EmptyState } from '../empty-state.tsx';

interface FilteredEmptyProps {
  /** How many there are in all, such as `10,000+`; absent where nobody has counted. */
  readonly total?: string;
  readonly filters: readonly { readonly name: string; readonly label: string }[];
  onDrop(names: readonly string[]): void;
}

export function FilteredEmpty({ total, filters, onDrop }: FilteredEmptyProps) {
  const text = useText();
  return (
    <EmptyState title={total === undefined ? text('list.noneAtAll') : text('list.none', { total })}>
      {filters.map(({ name, label }) => (
        <Button key={name} onClick={() => onDrop([name])}>
          {text('list.drop', { filter: label })}
        </Button>
      ))}
      {filters.length > 1 && (
        <Button variant="filled" onClick={() => onDrop(filters.map(({ name }) => name))}>
          {text('list.dropAll')}
        </Button>
      )}
    </EmptyState>
  );
}
