/** A form made from a JSON Schema of flat settings: its fields, and what was typed as the values that it accepts. */

/** One setting of a schema. */
interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly format?: string;
}

/** A field, as `Form` takes it. */
interface SchemaField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'select' | 'check';
  readonly options: readonly string[];
  readonly hint: string | undefined;
  readonly placeholder: string | undefined;
  readonly required: boolean;
}

function propertiesOf(schema: Readonly<Record<string, unknown>>): [string, Property][] {
  return Object.entries((schema.properties ?? {}) as Record<string, Property>);
}

/** The fields of a schema; a setting that holds a secret shows how one is named. */
export function fieldsOf(schema: Readonly<Record<string, unknown>>): readonly SchemaField[] {
  const required = (schema.required ?? []) as readonly string[];
  return propertiesOf(schema).map(([name, property]) => {
    const usual = property.default;
    const secret = property.format === 'secret' ? '${secret.NAME}' : undefined;
    return {
      name,
      label: name,
      kind:
        property.enum !== undefined
          ? 'select'
          : property.type === 'boolean'
            ? 'check'
            : property.type === 'integer'
              ? 'number'
              : 'text',
      options: property.enum ?? [],
      hint: property.description,
      placeholder: usual === undefined ? secret : String(usual),
      required: required.includes(name) && usual === undefined,
    };
  });
}

/** What was typed as settings: left empty, a setting is not given. What does not fit is for the server to refuse. */
export function settingsOf(
  schema: Readonly<Record<string, unknown>>,
  typed: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    propertiesOf(schema).flatMap(([name, { type }]): [string, unknown][] => {
      const text = typed[name] ?? '';
      if (type === 'boolean') return [[name, text === 'true']];
      if (text === '') return [];
      return [[name, type === 'integer' && /^\d{1,9}$/.test(text) ? Number(text) : text]];
    }),
  );
}

/** Settings as texts for a form. */
export function typedOf(settings: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value === false ? '' : String(value)]),
  );
}
