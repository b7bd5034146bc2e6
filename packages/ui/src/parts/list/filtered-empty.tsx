/** A list whose filters match nothing: the count without filters, and a button to drop each filter. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/text.tsx';
import { EmptyState } from '../empty-state.tsx';

interface FilteredEmptyProps {
  /** The total count, such as `10,000+`; absent if unknown. */
  readonly total?: string;
  /** Shown instead of the count of matches. */
  readonly title?: string;
  readonly filters: readonly { readonly name: string; readonly label: string }[];
  onDrop(names: readonly string[]): void;
  /** Further ways to see more, such as a longer time range. */
  readonly children?: ReactNode;
}

export function FilteredEmpty({ total, title, filters, onDrop, children }: FilteredEmptyProps) {
  const text = useText();
  const counted = total === undefined ? text('list.noneAtAll') : text('list.none', { total });
  return (
    <EmptyState title={title ?? counted}>
      {filters.map(({ name, label }) => (
        <Button key={name} onClick={() => onDrop([name])}>
          {text('list.drop', { filter: label })}
        </Button>
      ))}
      {children}
      {filters.length > 1 && (
        <Button variant="filled" onClick={() => onDrop(filters.map(({ name }) => name))}>
          {text('list.dropAll')}
        </Button>
      )}
    </EmptyState>
  );
}
