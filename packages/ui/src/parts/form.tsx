/**
 * A form built from a list of fields: each has a label, a hint and an error. Below them is the command that
 * does the same. Values are texts as typed; the submitting page converts them for the API.
 */
import { Button, Checkbox, Group, Select, Textarea, TextInput } from '@mantine/core';
import { ApiProblem } from '@orrery/sdk/client';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.tsx';
import { Command } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorPanel } from './error-panel.tsx';
import styles from './form.module.css';

/** One field. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  /** `pairs` are lines `name=value`; `lines` any lines; `check` is `true` or empty. */
  readonly kind?: 'text' | 'number' | 'select' | 'check' | 'lines' | 'pairs' | 'code' | undefined;
  readonly options?: readonly string[] | readonly { readonly value: string; readonly label: string }[];
  readonly hint?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly required?: boolean;
  /** A fault that the page itself sees. */
  readonly error?: string | undefined;
  /** Below the field: what it means, as one types. */
  readonly below?: ReactNode;
}

/** What was typed, by name. */
export type FormValues = Readonly<Record<string, string>>;

interface FormProps {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  onChange(change: FormValues): void;
  /** The line for a terminal that does the same. */
  readonly command?: string | undefined;
  readonly error?: Error | null;
  readonly pending?: boolean;
  /** The label of the button: the action. */
  readonly deed: string;
  readonly disabled?: boolean;
  /** Between the fields and the button. */
  readonly children?: ReactNode;
  onSubmit(): void;
  onCancel?: (() => void) | undefined;
}

export function Form({
  fields,
  values,
  onChange,
  command,
  error = null,
  pending,
  deed,
  disabled,
  children,
  onSubmit,
  onCancel,
}: FormProps) {
  const text = useText();
  const missing = fields.some(({ name, required, error: fault }) => fault || (required && !values[name]));
  // Errors of a field appear at the field; the rest below all fields.
  const faults = new Map(
    (error instanceof ApiProblem ? error.problems : []).map(({ path, message }) => [
      String(path.find((part) => part !== 'body') ?? ''),
      message,
    ]),
  );
  const told = faults.size > 0 && [...faults.keys()].every((name) => fields.some((one) => one.name === name));
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!missing && !disabled) onSubmit();
      }}
    >
      <div className={styles.fields}>
        {fields.map((field, at) => (
          <div key={field.name} className={styles.field} data-wide={isWide(field) || undefined}>
            <Field
              field={field}
              first={at === 0}
              value={values[field.name] ?? ''}
              fault={field.error ?? faults.get(field.name)}
              onChange={(value) => onChange({ [field.name]: value })}
            />
            {field.below}
          </div>
        ))}
      </div>
      {children}
      {command !== undefined && <Command line={command} />}
      {error && !told && (
        <ErrorPanel error={error} retry={error instanceof ApiProblem ? undefined : onSubmit} />
      )}
      <Group justify="flex-end" gap={8}>
        {onCancel && <Button onClick={onCancel}>{text('cancel')}</Button>}
        <Button type="submit" variant="filled" loading={pending} disabled={missing || disabled}>
          {deed}
        </Button>
      </Group>
    </form>
  );
}

/** The same in a dialog. */
export function FormDialog({
  title,
  onClose,
  ...form
}: Omit<FormProps, 'onCancel'> & { readonly title: string; onClose(): void }) {
  return (
    <Dialog title={title} size="lg" onClose={onClose}>
      <Form {...form} onCancel={onClose} />
    </Dialog>
  );
}

const isWide = ({ kind, below }: FormField) =>
  kind === 'lines' || kind === 'pairs' || kind === 'code' || kind === 'check' || below !== undefined;

/** Fields beside each other stand in line, whether or not they have a hint. */
const below: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

interface FieldProps {
  readonly field: FormField;
  readonly first: boolean;
  readonly value: string;
  readonly fault: string | undefined;
  onChange(value: string): void;
}

function Field({ field, first, value, fault, onChange }: FieldProps) {
  const { kind = 'text', label, hint, placeholder, required, options } = field;
  const shared = {
    label,
    description: hint,
    placeholder,
    withAsterisk: required,
    error: fault,
    inputWrapperOrder: below,
    'data-autofocus': first || undefined,
  };
  if (kind === 'check')
    return (
      <Checkbox
        label={label}
        description={hint}
        error={fault}
        checked={value === 'true'}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'true' : '')}
      />
    );
  if (kind === 'select')
    return (
      <Select
        {...shared}
        data={(options ?? []) as string[]}
        value={value === '' ? null : value}
        clearable={!required}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  const typed = {
    ...shared,
    value,
    autoComplete: 'off',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  if (kind === 'lines' || kind === 'pairs' || kind === 'code')
    return <Textarea {...typed} className={styles.code} rows={kind === 'code' ? 10 : 4} />;
  return <TextInput {...typed} inputMode={kind === 'number' ? 'numeric' : undefined} />;
}
