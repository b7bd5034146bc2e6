/**
 * The filters of a list: chips for those that are set, and a field that takes `name:value` with suggestions, or
 * plain text. It holds nothing itself: the address of the page does.
 */
import { Autocomplete, CloseButton } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import styles from './filter-bar.module.css';
import { useKeys } from './keys/use-keys.ts';

/** One thing that can be filtered by. */
export interface FilterField {
  /** As in the address. */
  readonly name: string;
  readonly label: string;
  /** Several values at once, joined by commas. */
  readonly many?: boolean;
  readonly values?: readonly string[];
}

interface FilterBarProps {
  readonly fields: readonly FilterField[];
  /** The field that text without a name belongs to. */
  readonly textField: string;
  /** The current filters, by name. */
  readonly search: Readonly<Record<string, unknown>>;
  onChange(change: Readonly<Record<string, string | undefined>>): void;
  /**
   * Called while typing, with the field and the start of its value, for suggestions that have to be
   * requested.
   */
  onTyping?(field: string | undefined, begun: string): void;
  /** Further controls at the end. */
  readonly children?: ReactNode;
}

export function FilterBar({ fields, textField, search, onChange, onTyping, children }: FilterBarProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useKeys([{ keys: '/', label: text('filter.key'), run: () => input.current?.focus() }]);
  const set = fields.flatMap((field) => valuesOf(search[field.name]).map((value) => ({ field, value })));
  const add = (token: string) => {
    const { field, value } = readToken(token, fields, textField);
    if (!field || value === '') return;
    const before = field.many ? valuesOf(search[field.name]) : [];
    onChange({ [field.name]: [...new Set([...before, value])].join(',') });
    setTyped('');
  };
  return (
    <search className={styles.bar} aria-label={text('filter.label')}>
      <Autocomplete
        ref={input}
        className={styles.field}
        size="xs"
        aria-label={text('filter.label')}
        placeholder={text('filter.placeholder', { names: someOf(fields.map(({ label }) => label)) })}
        value={typed}
        data={suggestions(typed, fields, textField)}
        filter={({ options }) => options}
        limit={12}
        dropdownOpened={opened}
        onDropdownOpen={() => setOpened(true)}
        onDropdownClose={() => setOpened(false)}
        onChange={(value) => {
          setTyped(value);
          const { field, begun } = tokenOf(value, fields);
          onTyping?.(field?.name, begun);
        }}
        onOptionSubmit={(option) => {
          if (!option.endsWith(':')) queueMicrotask(() => add(option));
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
            add(typed);
            // What it found is seen; the next letter brings suggestions again.
            setOpened(false);
          }
          if (event.key === 'Escape') input.current?.blur();
        }}
      />
      {set.map(({ field, value }) => (
        <span key={`${field.name}:${value}`} className={styles.chip}>
          {field.label}: {value}
          <CloseButton
            size={24}
            iconSize={12}
            aria-label={text('filter.remove', { name: field.label, value })}
            onClick={() => {
              const rest = valuesOf(search[field.name]).filter((other) => other !== value);
              onChange({ [field.name]: rest.length > 0 ? rest.join(',') : undefined });
            }}
          />
        </span>
      ))}
      {children}
    </search>
  );
}

function valuesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return value === undefined || value === '' ? [] : [String(value)];
}

function readToken(token: string, fields: readonly FilterField[], textField: string) {
  const { field, begun } = tokenOf(token, fields);
  if (field) return { field, value: begun };
  return { field: fields.find((field) => field.name === textField), value: token.trim() };
}

/** The field that a token names, by its name or label, and the rest of the token. */
function tokenOf(token: string, fields: readonly FilterField[]) {
  const [, name, begun = ''] = /^\s*([^\s:]+):(.*)$/.exec(token) ?? [];
  return { field: fields.find((each) => each.name === name || each.label === name), begun: begun.trim() };
}

function suggestions(typed: string, fields: readonly FilterField[], textField: string): string[] {
  const { field, begun } = tokenOf(typed, fields);
  if (field)
    return (field.values ?? [])
      .filter((value) => value.toLowerCase().includes(begun.toLowerCase()))
      .map((value) => `${field.name}:${value}`);
  // Plain text needs no name before it.
  return fields
    .flatMap(({ name }) => (name === textField ? [] : [`${name}:`]))
    .filter((start) => start.startsWith(typed.trim()));
}

/** As many names as fit; the others appear while typing. */
function someOf(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 4).join(', ')}, …` : names.join(', ');
}
