/** The form of a task, or of the workflow: a view of the text. Leaving a field writes it, as one step that can be undone. */
import { Button, Checkbox, Group, MultiSelect, Select, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import type { Gesture } from './edit/gestures.ts';
import style from './editor.module.css';
import { type EditorField, fieldsFor, valueOfTyped } from './form-fields.ts';
import type { Fields, OutlinedTask } from './reading.ts';
import type { Schema } from './schema-help.ts';

interface TaskFormProps {
  readonly schema: Schema;
  readonly fields: Fields;
  readonly tasks: readonly OutlinedTask[];
  readonly types: readonly string[];
  readonly readOnly: boolean;
  /** Whether to focus the field of needs; reported back once it has the focus. */
  readonly connecting: boolean;
  onConnecting(): void;
  onDo(gesture: Gesture): void;
  onWorkflow(): void;
}

export function TaskForm(props: TaskFormProps) {
  const { schema, fields, tasks, types, readOnly, connecting, onConnecting, onDo, onWorkflow } = props;
  const text = useText();
  const needsField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!connecting) return;
    needsField.current?.focus();
    onConnecting();
  }, [connecting, onConnecting]);
  const { names, value, written } = fields;
  const meant = tasks.filter(({ name }) => names.includes(name));
  const [task] = meant;
  const isOne = meant.length === 1;
  const type = meant.every((one) => one.type === task.type) ? (task?.type ?? null) : '';
  const all = fieldsFor(schema, type, value);
  const needs = task?.needs.filter((need) => meant.every((one) => one.needs.includes(need))) ?? [];
  const isSet = ({ path }: EditorField) => written[path.join('.')] !== undefined;
  const isFirst = (field: EditorField) =>
    isSet(field) || field.required || field.path[0] === 'with' || (!task && first.has(field.path[0]));
  const shown = all.filter(isFirst);
  const more = all.filter((field) => !isFirst(field));
  const draw = (field: EditorField) => (
    <OneField
      key={`${names.join(' ')} ${field.path.join('.')} ${written[field.path.join('.')]}`}
      field={field}
      fields={fields}
      readOnly={readOnly}
      onChange={(typed) =>
        onDo({
          do: 'set',
          names: task ? names : null,
          path: field.path,
          value: valueOfTyped(field, typed),
        })
      }
    />
  );
  return (
    <div className={style.form}>
      {task && (
        <>
          <Button variant="subtle" size="compact-xs" className={style.up} onClick={onWorkflow}>
            {text('editor.wholeWorkflow')}
          </Button>
          {isOne ? (
            <Typed
              key={task.name}
              label="name"
              value={task.name}
              readOnly={readOnly}
              onChange={(to) => to !== '' && onDo({ do: 'rename', from: task.name, to })}
            />
          ) : (
            <p className="dim">{text('editor.together', { count: meant.length })}</p>
          )}
          <Select
            label="type"
            data={[...new Set([...types, ...(type ? [type] : [])])]}
            value={type === '' ? null : type}
            searchable
            allowDeselect={false}
            readOnly={readOnly}
            onChange={(next) => next && onDo({ do: 'set', names, path: ['type'], value: next })}
          />
          <MultiSelect
            ref={needsField}
            label="needs"
            data={tasks.map((one) => one.name).filter((one) => !names.includes(one))}
            value={needs}
            searchable
            limit={50}
            readOnly={readOnly}
            onChange={(next) => {
              const came = next.find((one) => !needs.includes(one));
              const gone = needs.find((one) => !next.includes(one));
              if (came !== undefined) onDo({ do: 'connect', from: came, to: names });
              else if (isOne) onDo({ do: 'needs', name: task.name, needs: next });
              else if (gone !== undefined) onDo({ do: 'disconnect', from: gone, to: names });
            }}
          />
        </>
      )}
      {shown.map(draw)}
      {more.length > 0 && (
        <details>
          <summary>{text('editor.moreFields', { count: more.length })}</summary>
          <div className={style.form}>{more.map(draw)}</div>
        </details>
      )}
      {task && !readOnly && (
        <Group gap={8}>
          <Button onClick={() => onDo({ do: 'duplicate', names })}>{text('editor.duplicate')}</Button>
          <Button onClick={() => onDo({ do: 'remove', names })}>
            {text('editor.remove', { count: names.length })}
          </Button>
        </Group>
      )}
    </div>
  );
}

/** What most workflows say of themselves. */
const first: ReadonlySet<string> = new Set(['description', 'schedules', 'params', 'timezone']);

interface OneFieldProps {
  readonly field: EditorField;
  readonly fields: Fields;
  readonly readOnly: boolean;
  onChange(typed: string): void;
}

function OneField({ field, fields: { value, written }, readOnly, onChange }: OneFieldProps) {
  const { path, kind, help, required, choices, standard } = field;
  const label = path.at(-1) ?? '';
  const now = path.reduce<unknown>(
    (inner, key) => (inner as Record<string, unknown> | undefined)?.[key],
    value,
  );
  const known = { label, description: help, withAsterisk: required, readOnly };
  if (kind === 'flag')
    return (
      <Checkbox
        label={label}
        description={help}
        checked={now === true}
        disabled={readOnly}
        onChange={({ currentTarget }) => onChange(String(currentTarget.checked))}
      />
    );
  if (kind === 'choice')
    return (
      <Select
        {...known}
        data={[...choices]}
        placeholder={standard}
        clearable={!required}
        value={now === undefined ? null : String(now)}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  const shown =
    kind === 'yaml' ? (written[path.join('.')] ?? '') : now === undefined || now === null ? '' : String(now);
  return (
    <Typed
      {...known}
      placeholder={standard}
      value={shown}
      lines={kind === 'code' || kind === 'yaml'}
      onChange={onChange}
    />
  );
}

interface TypedProps {
  readonly label: string;
  readonly value: string;
  readonly description?: string | undefined;
  readonly placeholder?: string;
  readonly withAsterisk?: boolean;
  readonly readOnly: boolean;
  readonly lines?: boolean;
  onChange(typed: string): void;
}

/** A field that tells what was typed when it is left, or by Enter. */
function Typed({ value, lines = false, onChange, ...known }: TypedProps) {
  const [typed, setTyped] = useState(value);
  const tell = () => typed !== value && onChange(typed);
  const shared = {
    ...known,
    value: typed,
    autoComplete: 'off',
    spellCheck: false,
    onBlur: tell,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => setTyped(currentTarget.value),
  };
  if (lines) return <Textarea {...shared} className={style.lines} autosize minRows={2} maxRows={14} />;
  return <TextInput {...shared} onKeyDown={({ key }) => key === 'Enter' && tell()} />;
}
