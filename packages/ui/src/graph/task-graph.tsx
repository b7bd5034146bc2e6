/** The graph of a workflow's tasks: of its live version, or of the differences between two. */
import { useMemo, useState } from 'react';
import { type GraphTask, graphOf, linksOf } from '../model/graph.ts';
import { GraphView } from './graph-view.tsx';
import type { BoxContent } from './scene.ts';

interface TaskGraphProps {
  readonly tasks: readonly GraphTask[];
  /** The content of a task's box. */
  contentOf(task: number): Pick<BoxContent, 'state' | 'line' | 'plain'>;
  /** The name of a box for screen readers. */
  nameOf(task: number): string;
  readonly label: string;
  /** The current task, by name; the others are dimmed. */
  readonly current?: string | undefined;
  /** Several selected tasks, by name; the others are dimmed. */
  readonly chosen?: ReadonlySet<string> | undefined;
  onCurrent(name: string): void;
  onOpen(name: string): void;
  /** Given where several can be chosen: by a frame around them, or one by a click. */
  readonly onChosen?: ((names: readonly string[], how: 'add' | 'toggle') => void) | undefined;
  /** Given where arrows can be drawn. */
  readonly onLink?: ((from: string, to: string) => void) | undefined;
  /** Given where things can be dropped: on a task, on an arrow between two, or beside all. */
  readonly onDropped?: ((data: DataTransfer, onto: readonly string[]) => void) | undefined;
}

export function TaskGraph(props: TaskGraphProps) {
  const { tasks, contentOf, nameOf, label, current, chosen, onCurrent, onOpen } = props;
  const { onChosen, onLink, onDropped } = props;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const graph = useMemo(() => graphOf(tasks, linksOf(tasks), opened), [tasks, opened]);
  const boxes = useMemo(
    () =>
      (node: number): BoxContent => {
        const { tasks: inside, label: title } = graph.nodes[node];
        return { title, type: tasks[inside[0]].type, parts: null, ...contentOf(inside[0]) };
      },
    [graph, tasks, contentOf],
  );
  const marked = useMemo(() => {
    const boxes = tasks.flatMap(({ name }, at) => (chosen?.has(name) ? [graph.nodeOf[at]] : []));
    return boxes.length > 0 ? new Set(boxes) : null;
  }, [tasks, graph, chosen]);
  const nameAt = (node: number) => tasks[graph.nodes[node].tasks[0]].name;
  const at = current === undefined ? -1 : tasks.findIndex(({ name }) => name === current);
  const open = (node: number) => {
    const { fold, id } = graph.nodes[node];
    if (fold) setOpened(new Set([...opened, id]));
    else onOpen(nameAt(node));
  };
  return (
    <GraphView
      graph={graph}
      contentOf={boxes}
      version={boxes}
      label={label}
      nameOf={(node) => (graph.nodes[node] ? nameOf(graph.nodes[node].tasks[0]) : '')}
      current={at < 0 ? -1 : graph.nodeOf[at]}
      opening={0}
      marked={marked}
      found={null}
      path={none}
      onCurrent={(node) => onCurrent(nameAt(node))}
      onOpen={open}
      onChosen={
        onChosen &&
        ((nodes, how) =>
          onChosen(
            nodes.flatMap((node) => graph.nodes[node].tasks.map((one) => tasks[one].name)),
            how,
          ))
      }
      onLink={onLink && ((from, to) => onLink(nameAt(from), nameAt(to)))}
      onDropped={
        onDropped &&
        ((data, box, edge) => onDropped(data, (box >= 0 ? [box] : (graph.edges[edge] ?? [])).map(nameAt)))
      }
      onFold={opened.size > 0 ? () => setOpened(new Set()) : undefined}
    />
  );
}

const none: ReadonlySet<number> = new Set();
