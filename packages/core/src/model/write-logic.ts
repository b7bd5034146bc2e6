/** Writes a task's `with` in the form that people write; for logic tasks, by type. */
import { writeDuration } from './duration.ts';
import { isLogicType } from './glossary.ts';
import type { DeclaredParameter, LogicSpecs, TaskSpec, WorkflowReference } from './types.ts';
import { type Keys, some, someKeys, unless, written } from './written-keys.ts';

/** The settings of a task. */
export function settingsOf({ type, with: settings }: TaskSpec): Keys {
  if (!isLogicType(type)) return settings as Keys;
  return logic[type](settings as never);
}

const logic: { [Type in keyof LogicSpecs]: (spec: LogicSpecs[Type]) => Keys } = {
  'sub-workflow': ({ workflow, params }) =>
    written({ workflow: reference(workflow), params: someKeys(params) }),
  dependent: (spec) =>
    joined(spec, ({ workflow, task, window, onFailure, for: bound }) =>
      written({
        workflow: reference(workflow),
        task,
        window,
        onFailure: unless('fail', onFailure),
        for: bound && writeDuration(bound),
      }),
    ),
  conditions: ({ success, failure, ...spec }) => ({
    ...joined(spec, ({ task, is }) => (is === 'success' ? task : { task, is })),
    ...written({ success: some(success), failure: some(failure) }),
  }),
  switch: ({ cases, default: other }) => written({ cases, default: other }),
  approval: ({ message, fields, by, onNo }) =>
    written({
      message,
      fields: declarations(fields),
      by: by && [...by],
      onNo: unless('fail', onNo),
    }),
  dynamic: ({ workflow, params, over, without, parallelism, maxElements, onFailure }) =>
    written({
      workflow: reference(workflow),
      params: someKeys(params),
      over: Object.fromEntries(over.map(({ name, values }) => [name, values])),
      without: some(without),
      parallelism: unless(10, parallelism),
      maxElements: unless(1_000, maxElements),
      onFailure: unless('continue', onFailure),
    }),
};

/** The first group is written as plain items if it has the relation of the whole. */
function joined<Item>(
  {
    relation,
    groups,
  }: {
    readonly relation: 'all' | 'any';
    readonly groups: readonly { readonly relation: 'all' | 'any'; readonly items: readonly Item[] }[];
  },
  write: (item: Item) => unknown,
): Keys {
  return {
    [relation]: groups.flatMap((group, k) => {
      const items = group.items.map(write);
      return k === 0 && group.relation === relation ? items : [{ [group.relation]: items }];
    }),
  };
}

/** Declared parameters as people write them; undefined if there are none. */
export function declarations(declared: Readonly<Record<string, DeclaredParameter>>): Keys | undefined {
  return someKeys(
    Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, declaration(one)])),
  );
}

function declaration({
  type,
  default: value,
  required,
  options,
  pattern,
  description,
  output,
}: DeclaredParameter): unknown {
  const alone = !required && !options && pattern === undefined && description === undefined && !output;
  if (alone && type === 'string' && value !== undefined) return value;
  return written({
    type,
    default: value,
    required: unless(false, required),
    options,
    pattern,
    description,
    output: unless(false, output),
  });
}

/** A reference as people write it. */
export function reference({ project, name }: WorkflowReference): string {
  return project === undefined ? name : `${project}/${name}`;
}
