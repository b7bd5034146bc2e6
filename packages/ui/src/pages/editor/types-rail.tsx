/** The task types that can be added: by a click, by dragging one onto the graph, or by typing its name. */
import { TextInput } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import style from './editor.module.css';

/** What a dragged type is called among the data of a drag. */
export const DRAGGED_TYPE = 'application/x-orrery-task-type';

interface TypesRailProps {
  readonly types: readonly string[];
  onAdd(type: string): void;
}

export function TypesRail({ types, onAdd }: TypesRailProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const found = types.filter((type) => type.includes(typed.trim().toLowerCase()));
  const add = (type: string) => {
    onAdd(type);
    setTyped('');
  };
  return (
    <nav className={style.rail} aria-label={text('editor.types')}>
      <TextInput
        id="editor-type"
        size="xs"
        aria-label={text('editor.findType')}
        placeholder={text('editor.findType')}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Enter' && found.length > 0 && add(found[0])}
      />
      <ul>
        {found.map((type) => (
          <li key={type}>
            <button
              type="button"
              draggable
              onDragStart={({ dataTransfer }: DragEvent) => {
                dataTransfer.setData(DRAGGED_TYPE, type);
                dataTransfer.effectAllowed = 'copy';
              }}
              onClick={() => add(type)}
            >
              {type}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
