/**
 * A section of things that people create, change and delete: heading, empty state, table, form and
 * confirmation. The page provides the columns and the form; permissions decide which buttons are shown.
 */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import { Confirm } from './confirm.tsx';
import { EmptyState } from './empty-state.tsx';
import { useKeys } from './keys/use-keys.ts';
import { notify } from './notices.tsx';
import styles from './section.module.css';
import { Section, type SectionProps } from './section.tsx';
import { Table, type TableColumn, type TableProps } from './table.tsx';

/** A button of a row; `named` tells screen readers its target. */
interface RowDeed {
  readonly label: string;
  readonly named: string;
  run(): void;
}

interface ManagedTableProps<Row> {
  readonly title: string;
  readonly query: NonNullable<SectionProps['query']> & TableProps<Row>['more'];
  readonly rows: readonly Row[] | undefined;
  readonly columns: readonly TableColumn<Row>[];
  /** What a row is called: its key too, unless that is given. */
  nameOf(row: Row): string;
  keyOf?(row: Row): string | number;
  /** The text that a search looks in; without it, the name. */
  wordsOf?(row: Row): string;
  /** Shown instead of an empty table, with the command that creates an entry. */
  readonly none: string;
  readonly command: string;
  /** The label of the button that creates an entry; `n` does the same. */
  readonly create: string;
  /** Whether the viewer may make, change and delete them. */
  readonly may?: boolean;
  /** The dialog that makes one (null) or changes one. Without `isFixed` every row can be changed. */
  form(row: Row | null, onClose: () => void): ReactNode;
  readonly isFixed?: boolean;
  /** Other buttons of a row, before those to change and delete it. */
  deeds?(row: Row): readonly RowDeed[];
  /** How one is deleted, what that means, and which can be. */
  readonly remove?: {
    readonly note: string;
    readonly label?: string;
    titleOf?(row: Row): string;
    can?(row: Row): boolean;
    readonly action: { readonly isPending: boolean };
    run(row: Row, after: { onSuccess(): void; onError(error: Error): void }): void;
  };
  /** Above the table. */
  readonly children?: ReactNode;
}

export function ManagedTable<Row>(props: ManagedTableProps<Row>) {
  const { title, query, rows, columns, nameOf, none, command, create, may = true, form, isFixed } = props;
  const text = useText();
  const { remove } = props;
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  const [asked, setAsked] = useState<Row | null>(null);
  useKeys([{ keys: 'n', label: create, run: () => may && setEdited('new') }]);
  const end = remove?.label ?? text('groups.delete');
  const endOf = (row: Row) => remove?.titleOf?.(row) ?? text('settings.deleteOf', { name: nameOf(row) });
  const deedsOf = (row: Row): readonly RowDeed[] => [
    ...(props.deeds?.(row) ?? []),
    ...(isFixed
      ? []
      : [
          {
            label: text('schedule.edit'),
            named: text('settings.editOf', { name: nameOf(row) }),
            run: () => setEdited(row),
          },
        ]),
    ...(remove && (remove.can?.(row) ?? true)
      ? [{ label: end, named: endOf(row), run: () => setAsked(row) }]
      : []),
  ];
  const buttons: TableColumn<Row> = {
    label: '',
    tight: true,
    cell: (row) => (
      <span className={styles.row}>
        {deedsOf(row).map(({ label, named, run }) => (
          <Button key={label} size="compact-xs" aria-label={named} onClick={run}>
            {label}
          </Button>
        ))}
      </span>
    ),
  };
  return (
    <Section
      title={title}
      query={query}
      actions={
        may && (
          <Button data-hint="n" onClick={() => setEdited('new')}>
            {create}
          </Button>
        )
      }
    >
      {props.children}
      {rows?.length === 0 && <EmptyState title={none} commands={[command]} />}
      {rows && rows.length > 0 && (
        <Table
          label={title}
          rows={rows}
          more={query}
          keyOf={props.keyOf ?? nameOf}
          wordsOf={props.wordsOf ?? nameOf}
          columns={may ? [...columns, buttons] : columns}
        />
      )}
      {edited && form(edited === 'new' ? null : edited, () => setEdited(null))}
      {remove && asked && (
        <Confirm
          title={endOf(asked)}
          deed={end}
          danger
          pending={remove.action.isPending}
          onConfirm={() =>
            remove.run(asked, {
              onSuccess: () => setAsked(null),
              onError: (error) => notify(error, 'bad'),
            })
          }
          onClose={() => setAsked(null)}
        >
          <p>{remove.note}</p>
        </Confirm>
      )}
    </Section>
  );
}
