/** The graph of a run: the model of the run as boxes. */
import { useMemo, useState } from 'react';
import { useMemoWhen } from '../../data/when.ts';
import { GraphView } from '../../graph/graph-view.tsx';
import type { BoxContent } from '../../graph/scene.ts';
import { useText } from '../../i18n/text.tsx';
import { type GraphNode, graphOf } from '../../model/graph.ts';
import type { RunTasks, Task } from '../../model/run.ts';
import { shardParts } from '../../model/shards.ts';
import { hasEnded } from '../../model/state.ts';
import { useTaskWords } from './task-words.ts';

/** The props of all three views; tasks are identified by index. */
export interface RunViewProps {
  readonly run: RunTasks;
  readonly now: number;
  readonly current: number;
  /** Where to look first. */
  readonly opening: number;
  /** The tasks that would run again; null while no choice is open. */
  readonly marked: ReadonlySet<number> | null;
  /** What was looked for; null for everything. */
  readonly found: ReadonlySet<number> | null;
  /** The critical path, if requested. */
  readonly path: readonly number[];
  readonly onCurrent: (task: number) => void;
  readonly onOpen: (task: number) => void;
}

/** States of a fold, the one that matters most first. */
const order = [
  'failed',
  'running',
  'stopping',
  'retrying',
  'waiting',
  'submitted',
  'delayed',
  'paused',
  'killed',
];

export function RunGraph({
  run,
  now,
  current,
  opening,
  marked,
  found,
  path,
  onCurrent,
  onOpen,
}: RunViewProps) {
  const text = useText();
  const words = useTaskWords();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { tasks, links } = run;
  // The structure alone decides the picture: links keep their identity while it is the same.
  // Links stand for the structure of tasks.
  const graph = useMemoWhen(() => graphOf(tasks, links, opened), [links, opened]);
  // What a task that stands still says does not change: an event costs the boxes it is about.
  // Another language says it again.
  const still = useMemoWhen(() => new WeakMap<Task, BoxContent>(), [words]);
  const boxes = useMemo(() => {
    const kept = new Map<number, BoxContent>();
    return (node: number): BoxContent => {
      const known = kept.get(node);
      if (known) return known;
      const content = contentOf(graph.nodes[node], tasks);
      kept.set(node, content);
      return content;
    };
    function contentOf(node: GraphNode, all: readonly Task[]): BoxContent {
      if (node.fold) return foldContent(node, all, (done, total) => text('run.line.folded', { done, total }));
      const task = all[node.tasks[0]];
      const known = still.get(task);
      if (known) return known;
      const content: BoxContent = {
        title: node.label,
        state: task.forced ? 'forced' : task.state,
        line: words.line(task, now),
        type: task.type,
        parts: task.shards && shardParts(task.shards),
      };
      if (hasEnded(task.state) || task.state === 'pending') still.set(task, content);
      return content;
    }
  }, [graph, tasks, words, text, now, still]);
  const nodesOf = useMemo(
    () => (some: Iterable<number> | null) =>
      some === null ? null : new Set([...some].map((task) => graph.nodeOf[task])),
    [graph],
  );
  const taskOf = (node: number) => graph.nodes[node].tasks[0];
  const open = (node: number) => {
    const { fold, id } = graph.nodes[node];
    if (fold) setOpened(new Set([...opened, id]));
    else onOpen(taskOf(node));
  };
  // Closes the current fold, or else all open ones.
  const close = () => {
    const from = current < 0 ? null : graph.nodes[graph.nodeOf[current]].from;
    setOpened(new Set(from === null ? [] : [...opened].filter((id) => id !== from)));
  };
  return (
    <GraphView
      graph={graph}
      contentOf={boxes}
      version={boxes}
      label={text('run.graph', { count: tasks.length })}
      nameOf={(node) => {
        const box = graph.nodes[node];
        if (!box) return '';
        if (!box.fold) return words.name(tasks[box.tasks[0]], run, now);
        const { state } = boxes(node);
        return text('run.fold.name', {
          label: box.label,
          count: box.tasks.length,
          state: words.state(state),
        });
      }}
      current={current < 0 ? -1 : graph.nodeOf[current]}
      opening={opening < 0 ? -1 : graph.nodeOf[opening]}
      marked={useMemo(() => nodesOf(marked), [nodesOf, marked])}
      found={useMemo(() => nodesOf(found), [nodesOf, found])}
      path={useMemo(() => nodesOf(path) ?? new Set<number>(), [nodesOf, path])}
      onCurrent={(node) =>
        graph.nodes[node].fold && node === graph.nodeOf[current] ? open(node) : onCurrent(taskOf(node))
      }
      onOpen={open}
      onFold={opened.size > 0 ? close : undefined}
    />
  );
}

function foldContent(
  { label, tasks: inside }: GraphNode,
  all: readonly Task[],
  line: (done: number, total: number) => string,
): BoxContent {
  const counts = new Map<string, number>();
  let done = 0;
  for (const i of inside) {
    counts.set(all[i].state, (counts.get(all[i].state) ?? 0) + 1);
    if (hasEnded(all[i].state)) done++;
  }
  const parts = [...counts].sort(([, a], [, b]) => b - a);
  const state = order.find((name) => counts.has(name)) ?? parts[0][0];
  return { title: label, state, line: line(done, inside.length), type: all[inside[0]].type, parts };
}
