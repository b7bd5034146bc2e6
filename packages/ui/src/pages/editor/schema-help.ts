/**
 * The keys and values allowed at a place of the text, by the JSON Schema of workflow files: for completion
 * and for help on a key. The place is found by the indentation of the lines around it, so that it works in
 * broken text too.
 */

/** As much of a JSON Schema as is read here. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A place: the keys around it, the key on its line, the other keys beside it, and the type of the task it is in. */
export interface Place {
  readonly path: readonly string[];
  readonly key: string | null;
  /** Behind the colon of the key. */
  readonly inValue: boolean;
  readonly siblings: ReadonlySet<string>;
  readonly taskType: string | null;
}

const keyShape = /^(?:"([^"]*)"|'([^']*)'|([^\s#:'"[{][^:#]*?))\s*:(?:\s|$)/;

interface Line {
  readonly column: number;
  /** The column of its dash, if it has one. */
  readonly dash: number;
  readonly key: string | null;
}

function lineOf(text: string): Line {
  const [lead] = /^\s*(?:-(?:\s+|$))*/.exec(text) ?? [''];
  const [, double, single, plain] = keyShape.exec(text.slice(lead.length)) ?? [];
  return { column: lead.length, dash: lead.lastIndexOf('-'), key: double ?? single ?? plain ?? null };
}

/** The place of a column in a line, both counted from 0. */
export function placeAt(lines: readonly string[], at: number, column: number): Place {
  const here = lineOf(lines[at] ?? '');
  const own = here.key === null && here.dash < 0 ? Math.min(here.column, column) : here.column;
  const path: string[] = [];
  const siblings = new Set<string>();
  // Keys of the same mapping stand at `level`; above the dash of an item its list is looked for.
  let [level, dash] = [own, here.dash];
  for (let k = at - 1; k >= 0 && level >= 0; k--) {
    const line = lineOf(lines[k]);
    if (line.key === null) continue;
    if (dash < 0 && line.column === level) {
      if (path.length === 0) siblings.add(line.key);
      dash = line.dash;
    } else if (dash < 0 ? line.column < level : line.column <= dash) {
      path.unshift(line.key);
      [level, dash] = [line.column, line.dash];
    }
  }
  for (let k = at + 1; k < lines.length; k++) {
    const line = lineOf(lines[k]);
    if (lines[k].trim() !== '' && (line.column < own || line.dash >= 0)) break;
    if (line.column === own && line.key) siblings.add(line.key);
  }
  const inValue = here.key !== null && column > (lines[at] ?? '').indexOf(':', here.column);
  return { path, key: here.key, inValue, siblings, taskType: typeAround(lines, at) };
}

/** The type of the task around a line: the nearest `type:` of its item of the list of tasks. */
function typeAround(lines: readonly string[], at: number): string | null {
  let start = at;
  const list = lines.findLastIndex((line, k) => k <= at && /^tasks\s*:/.test(line));
  if (list < 0) return null;
  const dash = lineOf(lines.slice(list + 1).find((line) => /^\s*-\s/.test(line)) ?? '').dash;
  while (start > list && lineOf(lines[start]).dash !== dash) start--;
  for (let k = start; k < lines.length && (k === start || lineOf(lines[k]).dash !== dash); k++) {
    const type = /^\s*(?:-\s+)?type\s*:\s*["']?([\w.-]+)/.exec(lines[k])?.[1];
    if (type !== undefined && lineOf(lines[k]).column === dash + 2) return type;
  }
  return null;
}

/** The schemas that hold at a path; several where the file may be written in several ways. */
export function schemasAt(
  schema: Schema,
  path: readonly string[],
  taskType: string | null,
): readonly Schema[] {
  let found = flat(schema, taskType);
  for (const key of path)
    found = found
      .flatMap((one) => {
        const inner = one.properties?.[key];
        if (inner) return [inner];
        return typeof one.additionalProperties === 'object' ? [one.additionalProperties] : [];
      })
      .flatMap((one) => flat(one, taskType));
  return found;
}

/** A schema with its alternatives, the items of lists, and what holds for the type of the task. */
function flat(schema: Schema, taskType: string | null): readonly Schema[] {
  const rules = (schema.allOf ?? []).filter(
    ({ if: when }) => when === undefined || when.properties?.type?.const === taskType,
  );
  const inner = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items ? [schema.items] : []),
    ...rules.map((rule) => rule.then ?? rule),
  ];
  return [schema, ...inner.flatMap((one) => flat(one, taskType))];
}

/** The task types that the schema tells of. */
export function typesOf(schema: Schema): readonly string[] {
  return schemasAt(schema, ['tasks'], null).flatMap(({ allOf = [] }) =>
    allOf.flatMap((rule) => (rule.if?.properties?.type?.const as string | undefined) ?? []),
  );
}

/** One thing that can be written at a place. */
export interface Offer {
  readonly label: string;
  readonly insert: string;
  readonly detail?: string | undefined;
  readonly info?: string | undefined;
}

/** Names that the schema does not know. */
export interface Names {
  readonly tasks: readonly string[];
  readonly workflows?: readonly string[];
}

/** Everything that can be written at a place. */
export function offersAt(schema: Schema, place: Place, names: Names): readonly Offer[] {
  const { path, key, inValue, siblings, taskType } = place;
  const offers = new Map<string, Offer>();
  const add = (offer: Offer) => offers.has(offer.label) || offers.set(offer.label, offer);
  const value = (one: unknown, info?: string) => add({ label: String(one), insert: String(one), info });
  if (inValue || listsNames(path)) {
    const full = inValue && key !== null ? [...path, key] : path;
    const name = full.at(-1);
    if (full.length === 2 && full[0] === 'tasks' && name === 'type')
      for (const one of typesOf(schema)) value(one);
    if (listsNames(full)) for (const one of names.tasks) value(one);
    for (const one of schemasAt(schema, full, taskType)) {
      for (const choice of one.enum ?? []) value(choice, one.description);
      if (one.const !== undefined) value(one.const, one.description);
      if (one.type === 'boolean') for (const choice of [true, false]) value(choice, one.description);
      for (const example of one.examples ?? []) value(example, one.description);
    }
    if (inValue) return [...offers.values()];
  }
  for (const { properties = {}, required = [] } of schemasAt(schema, path, taskType))
    for (const [label, one] of Object.entries(properties)) {
      if (siblings.has(label) || label === '$schema') continue;
      const kinds = flat(one, null).map(({ type }) => type);
      const isDeep =
        kinds.length > 0 &&
        kinds.every((type) => type === 'object' || type === 'array' || type === undefined);
      add({
        label,
        insert: isDeep ? `${label}:` : `${label}: `,
        detail: required.includes(label) ? '*' : undefined,
        info: helpOf(one),
      });
    }
  return [...offers.values()];
}

const listsNames = (path: readonly string[]) =>
  path[0] === 'tasks' &&
  /^(?:needs|success|failure|to|default|task)$/.test(path.at(-1) ?? '') &&
  path.length > 1;

/** What is said of a key. */
export function helpOf({
  description,
  default: standard,
  enum: choices,
  anyOf = [],
}: Schema): string | undefined {
  const said = [
    description ?? anyOf.find((one) => one.description)?.description,
    choices?.join(' · '),
    standard !== undefined && !isEmpty(standard) ? `= ${JSON.stringify(standard)}` : undefined,
  ].filter(Boolean);
  return said.length > 0 ? said.join('\n') : undefined;
}

const isEmpty = (value: unknown) =>
  typeof value === 'object' && (value === null || Object.keys(value).length === 0);

/** The help on the key of a line. */
export function helpAt(schema: Schema, { path, key, taskType }: Place): string | undefined {
  if (key === null) return undefined;
  for (const { properties = {} } of schemasAt(schema, path, taskType))
    if (Object.hasOwn(properties, key)) return helpOf(properties[key]);
  return undefined;
}
