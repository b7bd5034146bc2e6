/**
 * What people do to a workflow, each as the smallest splices of its text: `apply(text, gesture(source, …))` is the text
 * after it. Pure. A gesture that the text has no room for, or that would close a loop, throws `EditRefused`.
 */
import { isMap, isScalar, isSeq, type Node, visit } from 'yaml';
import {
  apply,
  EditRefused,
  endOf,
  readSource,
  type Source,
  type Splice,
  startOf,
  type TaskSource,
  type TextMap,
  taskOf,
  textOf,
  valueAt,
} from './source.ts';
import {
  afterColon,
  indentLines,
  inline,
  insertItems,
  isYaml,
  itemStart,
  removeItems,
  removePair,
  setPair,
} from './write.ts';

/** A gesture as data, so that it can be done in the worker that holds the parsed text. */
export type Gesture =
  | { readonly do: 'add'; readonly task: NewTask; readonly after?: string | undefined }
  | { readonly do: 'insert'; readonly task: NewTask; readonly from: string; readonly to: string }
  | { readonly do: 'remove'; readonly names: readonly string[] }
  | {
      readonly do: 'connect' | 'disconnect';
      readonly from: string;
      /** One task, or several that all gain or lose the need `from`. */
      readonly to: string | readonly string[];
    }
  | { readonly do: 'needs'; readonly name: string; readonly needs: readonly string[] }
  | {
      readonly do: 'set';
      readonly names: readonly string[] | null;
      readonly path: readonly string[];
      readonly value?: unknown;
    }
  | { readonly do: 'rename'; readonly from: string; readonly to: string }
  | { readonly do: 'duplicate'; readonly names: readonly string[] }
  | { readonly do: 'paste'; readonly yaml: string; readonly after?: string | undefined };

/** A task that is not there yet. */
interface NewTask {
  readonly name: string;
  readonly type: string;
  readonly needs?: readonly string[];
  readonly with?: Readonly<Record<string, unknown>>;
}

/** The splices of a gesture. */
export function splicesOf(source: Source, gesture: Gesture): Splice[] {
  switch (gesture.do) {
    case 'add':
      return addTask(source, gesture.task, gesture.after);
    case 'insert':
      return insertOnEdge(source, gesture.task, gesture.from, gesture.to);
    case 'remove':
      return removeTasks(source, gesture.names);
    case 'connect':
      return disjoint([gesture.to].flat().flatMap((to) => connect(source, gesture.from, to)));
    case 'disconnect':
      return disjoint([gesture.to].flat().flatMap((to) => disconnect(source, gesture.from, to)));
    case 'needs':
      return setNeeds(source, gesture.name, gesture.needs);
    case 'set':
      return disjoint(
        (gesture.names ?? [null]).flatMap((name) => setField(source, name, gesture.path, gesture.value)),
      );
    case 'rename':
      return rename(source, gesture.from, gesture.to);
    case 'duplicate':
      return paste(source, copy(source, gesture.names), gesture.names.at(-1));
    case 'paste':
      return paste(source, gesture.yaml, gesture.after);
  }
}

/** A name that no task has yet: `load`, `load-2`, … */
export function freeName(taken: Iterable<string>, wanted: string): string {
  const names = new Set(taken);
  const stem = wanted.replace(/-\d+$/, '');
  let name = wanted;
  for (let k = 2; names.has(name); k++) name = `${stem}-${k}`;
  return name;
}

/** Adds a task after another one, else as the last. */
function addTask(source: Source, task: NewTask, after?: string): Splice[] {
  if (source.tasks.some(({ name }) => name === task.name)) throw new EditRefused('name-taken', task.name);
  const { needs = [], with: settings, ...rest } = task;
  const value = {
    ...rest,
    ...(needs.length > 0 && { needs: needs.length === 1 ? needs[0] : needs }),
    ...(settings && { with: settings }),
  };
  const lines = Object.entries(value).map(([key, one]) => `${key}:${afterColon(one, 0)}`);
  return insertTasks(source, [{ block: `- ${indentLines(lines.join('\n'), 2).trimStart()}`, value }], after);
}

function insertTasks(
  source: Source,
  items: readonly { readonly block: string; readonly value: unknown }[],
  after?: string,
): Splice[] {
  const { text, root, list, tasks } = source;
  const blocks = items.map(({ block }) => block).join('\n');
  if (!list || (list.items.length === 0 && !root.flow))
    return setPair(text, root, 'tasks', root.flow ? items.map(({ value }) => value) : { yaml: blocks });
  const place = tasks.find(({ name }) => name === after)?.index ?? list.items.length - 1;
  return insertItems(text, list, place, items);
}

/** Puts a task between two that follow each other. */
function insertOnEdge(source: Source, task: NewTask, from: string, to: string): Splice[] {
  const before = taskOf(source, from);
  const next = taskOf(source, to);
  return disjoint([
    ...addTask(source, { ...task, needs: [from] }, from),
    ...renamed(source, valueAt(next.map, 'needs'), from, task.name),
    // A branch that led to the next task leads to this one.
    ...(branching.has(before.type) ? renamed(source, valueAt(before.map, 'with'), to, task.name) : []),
  ]);
}

/** Removes tasks, including from the needs of others. */
function removeTasks(source: Source, names: readonly string[]): Splice[] {
  const gone = new Set(names);
  const { text, root, list, tasks } = source;
  const indexes = tasks.filter(({ name }) => gone.has(name)).map(({ index }) => index);
  if (!list || indexes.length === 0) return [];
  if (indexes.length === list.items.length) return setPair(text, root, 'tasks', []);
  const users = tasks.filter(({ name, needs }) => !gone.has(name) && needs.some((one) => gone.has(one)));
  return disjoint([
    ...removeItems(text, list, indexes),
    ...users.flatMap(({ name, needs }) =>
      setNeeds(
        source,
        name,
        needs.filter((one) => !gone.has(one)),
      ),
    ),
  ]);
}

/** Tasks from one to another along the arrows; empty where no way leads there. */
export function wayBetween(
  tasks: readonly Pick<TaskSource, 'name' | 'needs'>[],
  from: string,
  to: string,
): readonly string[] {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const next = new Map<string, string>();
  const open = [to];
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    if (name === from) {
      const way = [name];
      while (way.at(-1) !== to) way.push(next.get(way.at(-1) ?? '') ?? to);
      return way;
    }
    for (const need of byName.get(name)?.needs ?? []) {
      if (need === to || next.has(need)) continue;
      next.set(need, name);
      open.push(need);
    }
  }
  return [];
}

/** Makes a task need another; refused with the way of the loop that this would close. */
function connect(source: Source, from: string, to: string): Splice[] {
  const task = taskOf(source, to);
  if (task.needs.includes(from)) return [];
  const loop = wayBetween(source.tasks, to, from);
  if (loop.length > 0) throw new EditRefused('loop', [...loop, to].join(' → '));
  return setNeeds(source, to, [...task.needs, from]);
}

/** Takes an arrow out. */
function disconnect(source: Source, from: string, to: string): Splice[] {
  return setNeeds(
    source,
    to,
    taskOf(source, to).needs.filter((one) => one !== from),
  );
}

/** Replaces the needs of a task; unchanged ones keep their text. */
function setNeeds(source: Source, name: string, needs: readonly string[]): Splice[] {
  const { text } = source;
  const { map, needs: old } = taskOf(source, name);
  const node = valueAt(map, 'needs');
  if (needs.length === 0) return removePair(text, map, 'needs');
  const came = needs.filter((one) => !old.includes(one));
  const gone = old.filter((one) => !needs.includes(one));
  if (came.length === 0 && gone.length === 0) return [];
  if (!isSeq<Node>(node) || gone.length === old.length)
    return setPair(text, map, 'needs', needs.length === 1 ? needs[0] : needs, [
      'name',
      'type',
      'description',
    ]);
  const indexes = node.items.flatMap((item, k) => (gone.includes(textOf(item) ?? '') ? [k] : []));
  const items = came.map((one) => ({ block: `- ${inline(one)}`, value: one }));
  const last = node.items.findLastIndex((_, k) => !indexes.includes(k));
  return disjoint([
    ...removeItems(text, node, indexes),
    ...(items.length > 0 ? insertItems(text, node, last, items) : []),
  ]);
}

/** Sets a field of a task, or of the workflow; without a value it goes, with what holds nothing else. */
function setField(source: Source, name: string | null, path: readonly string[], value?: unknown): Splice[] {
  const { text } = source;
  const owner = name === null ? source.root : taskOf(source, name).map;
  const maps: TextMap[] = [owner];
  for (const key of path.slice(0, -1)) {
    const inner = valueAt(maps[maps.length - 1], key);
    if (inner && isMap<Node, Node | null>(inner) && inner.items.length > 0) maps.push(inner);
    else if (
      inner &&
      !(isMap(inner) && inner.items.length === 0) &&
      !(isScalar(inner) && inner.value === null)
    )
      throw new EditRefused('written-otherwise', [...path].join('.'));
    else break;
  }
  const at = maps.length - 1;
  if (value !== undefined) {
    const nested = path.slice(at + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    const whole = isYaml(value) && at < path.length - 1 ? nestedYaml(path.slice(at + 1), value.yaml) : nested;
    return setPair(text, maps[at], path[at], whole, name === null ? [] : fieldsBefore(path[at]));
  }
  if (at < path.length - 1) return [];
  let level = at;
  while (level > 0 && maps[level].items.length === 1) level--;
  return removePair(text, maps[level], path[level]);
}

function nestedYaml(keys: readonly string[], yaml: string) {
  return { yaml: keys.reduceRight((inner, key) => `${key}:${afterColon({ yaml: inner }, 0)}`, yaml) };
}

/** The settings of a task stand last, everything else before them. */
const fieldsBefore = (key: string): readonly string[] =>
  key === 'with' ? [] : ['name', 'type', 'description', 'needs', 'trigger', 'retries', 'timeout'];

const branching: ReadonlySet<string> = new Set(['conditions', 'switch']);

/** Renames a task everywhere in the workflow. */
function rename(source: Source, from: string, to: string): Splice[] {
  if (from === to) return [];
  if (source.tasks.some(({ name }) => name === to)) throw new EditRefused('name-taken', to);
  const { map } = taskOf(source, from);
  const users = source.tasks.flatMap(({ map: one, type }) => {
    if (!one) return [];
    const inside = branching.has(type) ? renamed(source, valueAt(one, 'with'), from, to) : [];
    return [...renamed(source, valueAt(one, 'needs'), from, to), ...inside];
  });
  return disjoint([...renamed(source, valueAt(map, 'name'), from, to), ...users]);
}

/** Renames every scalar of a node that equals the name; expressions stay unchanged. */
function renamed({ text }: Source, node: Node | null | undefined, from: string, to: string): Splice[] {
  const splices: Splice[] = [];
  if (!node) return splices;
  visit(node, {
    Pair: (_, pair) => (textOf(pair.key) === 'when' ? visit.SKIP : undefined),
    Scalar: (role, scalar) => {
      if (role === 'key' || textOf(scalar) !== from) return;
      const quoted = scalar.type === 'QUOTE_DOUBLE';
      splices.push({ from: startOf(scalar), to: endOf(text, scalar), insert: inline(to, quoted) });
    },
  });
  return splices;
}

/** Tasks as a list of YAML, with their comments. */
export function copy(source: Source, names: readonly string[]): string {
  const { text, list, tasks } = source;
  if (!list) return '';
  const blocks = tasks
    .filter(({ name }) => names.includes(name))
    .map(({ index }) => {
      const item = list.items[index];
      if (list.flow) return `- ${text.slice(startOf(item), endOf(text, item))}\n`;
      const lines = text.slice(itemStart(text, list, index), endOf(text, item)).split('\n');
      const column = lines.reduce(
        (least, line) => (line.trim() === '' ? least : Math.min(least, line.search(/\S/))),
        99,
      );
      return `${lines.map((line) => line.slice(column)).join('\n')}\n`;
    });
  return blocks.join('');
}

/** Puts copied tasks in, under names that are free; needs among themselves go with them. */
function paste(source: Source, yaml: string, after?: string): Splice[] {
  const lines = yaml.replace(/\s+$/, '').replace(/\r\n/g, '\n');
  const isWhole = /^tasks\s*:/m.test(lines);
  const asList = /^\s*(?:#.*\n\s*)*- /.test(lines) ? lines : `- ${indentLines(lines, 2).trimStart()}`;
  let given: Source | null = readSource(isWhole ? lines : `tasks:\n${indentLines(asList, 2)}\n`);
  if (!given || given.tasks.length === 0) throw new EditRefused('bad-yaml', 'tasks');
  const taken = new Set(source.tasks.map(({ name }) => name));
  const names: string[] = [];
  for (const { name } of given.tasks) {
    const inside = given.tasks.map((one) => one.name).filter((one) => one !== name);
    const free = freeName([...taken, ...names, ...inside], name);
    if (free !== name) given = readSource(apply(given.text, rename(given, name, free))) ?? given;
    names.push(free);
  }
  const known = new Set([...taken, ...names]);
  for (const name of names) {
    const needs: readonly string[] = given.tasks.find((one) => one.name === name)?.needs ?? [];
    if (needs.every((one) => known.has(one))) continue;
    given =
      readSource(
        apply(
          given.text,
          setNeeds(
            given,
            name,
            needs.filter((one) => known.has(one)),
          ),
        ),
      ) ?? given;
  }
  const items = names.map((name) => ({
    block: copy(given, [name]).replace(/\n$/, ''),
    value: given.tasks.find((one) => one.name === name)?.map?.toJSON() ?? { name },
  }));
  return insertTasks(source, items, after);
}

/** Splices in order, none over another. */
function disjoint(splices: readonly Splice[]): Splice[] {
  let end = 0;
  return splices
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
    .map((splice) => {
      const from = Math.max(splice.from, end);
      end = Math.max(from, splice.to);
      return { ...splice, from, to: end };
    });
}
