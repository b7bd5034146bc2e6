/**
 * The references a step may use: parameters, and outputs of earlier tasks. A reference is a text that the
 * engine replaces, such as `${day}`. An unknown name is an error at compile time and at runtime.
 */

/** Parameters that every task can read without declaring them. */
export const builtins = [
  'system.biz.date',
  'system.biz.curdate',
  'system.datetime',
  'orrery.business.time',
  'system.project.name',
  'orrery.project.name',
  'system.project.code',
  'system.workflow.definition.name',
  'orrery.workflow.name',
  'system.workflow.definition.code',
  'system.workflow.instance.id',
  'orrery.run.id',
  'system.task.definition.name',
  'orrery.task.name',
  'system.task.definition.code',
  'system.task.instance.id',
  'orrery.task.run.id',
  'system.task.execute.path',
] as const;

/** An output that a task declares. */
export interface Output {
  readonly task: string;
  readonly output: string;
}

/** References to the parameters of these names and to these outputs. */
export interface References<Param extends string, Seen extends Output> {
  readonly params: Readonly<Record<Param | (typeof builtins)[number], string>>;
  readonly outputs: {
    readonly [Task in Seen['task']]: Readonly<Record<Extract<Seen, { task: Task }>['output'], string>>;
  };
}

/** A task, with the fields that references to its outputs need. */
export interface Giver {
  readonly name: string;
  readonly outputs: readonly string[];
  readonly needs: readonly Giver[];
}

/** References for a task that has these parameters and comes directly after these tasks. */
export function referencesFor(
  task: string,
  {
    declared,
    local,
    needs,
  }: { declared: readonly string[]; local: readonly string[]; needs: readonly Giver[] },
): References<string, Output> {
  const before = ancestorsOf(needs);
  const params = [...declared, ...local, ...builtins].map((name) => [name, `\${${name}}`] as const);
  const outputs = [...before].map((giver) => {
    const given = giver.outputs.map((name) => [name, () => refer(task, giver, name, before, local)] as const);
    return [giver.name, strict(given, `${giver.name} has no output`)] as const;
  });
  return {
    params: strict(params, 'there is no parameter'),
    outputs: strict(outputs, `no task before ${task} is called`),
  };
}

/** Outputs are passed on by name only, so with two providers of a name neither can be selected. */
function refer(
  task: string,
  giver: Giver,
  name: string,
  before: ReadonlySet<Giver>,
  local: readonly string[],
): string {
  if (local.includes(name))
    throw new TypeError(`task ${task} has a parameter "${name}", which hides the output of ${giver.name}`);
  const own = ancestorsOf(giver.needs);
  const other = [...before].find((each) => each !== giver && each.outputs.includes(name) && !own.has(each));
  if (other)
    throw new TypeError(
      `task ${task} sees an output "${name}" of ${giver.name} and of ${other.name}; give them different names`,
    );
  return `\${${name}}`;
}

function ancestorsOf(needs: readonly Giver[]): Set<Giver> {
  const found = new Set<Giver>(needs);
  for (const giver of found) for (const each of giver.needs) found.add(each);
  return found;
}

/** An object that refuses names it does not have: without it a typing error would become the text "undefined". */
function strict<Value>(
  entries: readonly (readonly [string, Value | (() => Value)])[],
  complaint: string,
): Readonly<Record<string, Value>> {
  const values = new Map(entries);
  return new Proxy({} as Record<string, Value>, {
    get(_, name) {
      if (typeof name !== 'string') return undefined;
      const value = values.get(name);
      if (value === undefined)
        throw new TypeError(`${complaint} "${name}"; there is ${[...values.keys()].join(', ') || 'none'}`);
      return value instanceof Function ? value() : value;
    },
  });
}
