/** The tasks of the text as rows, searched by name, type and needs: where a graph has too many to point at. */
import { TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { CutName } from '../../parts/cut-name.tsx';
import type { ListControl } from '../../parts/list/use-list-place.ts';
import { type Column, VirtualList } from '../../parts/list/virtual-list.tsx';
import style from './editor.module.css';
import type { OutlinedTask } from './reading.ts';

interface TasksTableProps {
  readonly tasks: readonly OutlinedTask[];
  readonly control: ListControl;
  onOpen(name: string): void;
}

export function TasksTable({ tasks, control, onOpen }: TasksTableProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const rows = useMemo(() => {
    const words = typed.trim().toLowerCase().split(/\s+/);
    return tasks.filter(({ name, type, needs }) => {
      const said = [name, type, ...needs].join(' ').toLowerCase();
      return words.every((word) => said.includes(word));
    });
  }, [tasks, typed]);
  const columns = useMemo(
    (): readonly Column<OutlinedTask>[] => [
      { id: 'name', label: 'name', width: 'minmax(120px, 2fr)', cell: ({ name }) => <CutName name={name} /> },
      { id: 'type', label: 'type', width: '110px', cell: ({ type }) => <span className="dim">{type}</span> },
      {
        id: 'needs',
        label: 'needs',
        width: 'minmax(100px, 2fr)',
        cell: ({ needs }) => <CutName name={needs.join(', ')} />,
      },
    ],
    [],
  );
  return (
    <div className={style.tasks}>
      <TextInput
        size="xs"
        m={8}
        aria-label={text('editor.findTask')}
        placeholder={text('editor.findTask')}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <VirtualList
        label={text('editor.tasks')}
        rows={rows}
        columns={columns}
        control={control}
        idOf={nameOf}
        nameOf={nameOf}
        choosable
        onOpen={onOpen}
        foot={rows.length === 0 ? text('editor.noneFound') : undefined}
      />
    </div>
  );
}

const nameOf = ({ name }: OutlinedTask) => name;
