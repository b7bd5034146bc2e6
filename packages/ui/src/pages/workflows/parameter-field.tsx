/** One parameter of a run: a field for its type, its fault, and the value of the last run to take over. */
import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { type Declared, fault } from '../../model/run-form.ts';

interface ParameterFieldProps {
  readonly name: string;
  readonly declared: Declared;
  readonly value: string;
  /** Whether the field was visited; errors are shown only then. */
  readonly touched: boolean;
  /** What the last run had. */
  readonly last?: string;
  onChange(value: string): void;
}

const faults = { missing: 'start.missing', type: 'start.wrongType', option: 'start.wrongOption' } as const;

export function ParameterField({ name, declared, value, touched, last, onChange }: ParameterFieldProps) {
  const text = useText();
  const wrong = fault(declared, value);
  const shared = {
    label: `${name} · ${declared.type}`,
    description: declared.description,
    withAsterisk: declared.required,
    error: touched && wrong !== null ? text(faults[wrong], { type: declared.type }) : undefined,
  };
  const offer =
    last !== undefined && last !== value ? (
      <Button size="compact-xs" variant="subtle" onClick={() => onChange(last)} data-hint={last}>
        {text('start.takeLast')}
      </Button>
    ) : undefined;
  const options = declared.options ?? (declared.type === 'boolean' ? ['true', 'false'] : undefined);
  if (options)
    return (
      <Select
        {...shared}
        data={[...options]}
        value={value === '' ? null : value}
        clearable={!declared.required}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  if (declared.type === 'json' || declared.type === 'list')
    return (
      <Textarea
        {...shared}
        autosize={false}
        rows={2}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...shared}
      value={value}
      inputMode={declared.type === 'integer' || declared.type === 'number' ? 'decimal' : undefined}
      rightSection={offer}
      rightSectionWidth={offer ? 96 : undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
