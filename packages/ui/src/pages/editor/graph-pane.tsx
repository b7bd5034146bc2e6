/** The tasks of the text as a graph. Boxes with a problem are marked; a text that cannot be read leaves the last picture. */
import { useCallback, useMemo, useRef } from 'react';
import { TaskGraph } from '../../graph/task-graph.tsx';
import { useLanguage } from '../../i18n/text.tsx';
import type { GraphTask } from '../../model/graph.ts';
import style from './editor.module.css';
import { DRAGGED_TYPE } from './types-rail.tsx';
import type { Read } from './use-reading.ts';

interface GraphPaneProps {
  readonly read: Read;
  readonly task: string | undefined;
  /** Tasks that something is done with together. */
  readonly chosen: ReadonlySet<string>;
  onTask(name: string): void;
  /** Tasks were chosen by a frame around them, or one by a click. */
  onChosen(names: readonly string[], how: 'add' | 'toggle'): void;
  /** Undefined where nothing can be changed now. */
  readonly onLink: ((from: string, to: string) => void) | undefined;
  readonly onDropped: ((type: string, onto: readonly string[]) => void) | undefined;
}

export function GraphPane({ read, task, chosen, onTask, onChosen, onLink, onDropped }: GraphPaneProps) {
  const { text } = useLanguage();
  const tasks = useStructure(read.drawn);
  const { drawn, problems } = read;
  const wrong = useMemo(() => problemsByTask(drawn, problems), [drawn, problems]);
  // While nothing but places in the text has changed, the picture is the same.
  const kept = useKept(wrong);
  const counted = useMemo(() => new Map(kept), [kept]);
  const contentOf = useCallback(
    (at: number) => {
      const { name, type } = tasks[at];
      const count = counted.get(name) ?? 0;
      const line = count > 0 ? text('editor.problems', { count }) : type;
      return { state: count > 0 ? 'failed' : 'pending', line, plain: count === 0 };
    },
    [tasks, counted, text],
  );
  const dropped =
    onDropped &&
    ((data: DataTransfer, onto: readonly string[]) => {
      const type = data.getData(DRAGGED_TYPE);
      if (type !== '') onDropped(type, onto);
    });
  if (read.of === null) return <div className={style.nothing} />;
  if (tasks.length === 0)
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: a type can be dropped here, and be added by a click too
      <div
        className={style.nothing}
        onDragOver={(event) => event.preventDefault()}
        onDrop={({ dataTransfer }) => dropped?.(dataTransfer, [])}
      >
        {text('editor.noTasks')}
      </div>
    );
  const first = read.problems[0];
  return (
    <div className={style.drawing} data-old={!read.whole || undefined}>
      <TaskGraph
        tasks={tasks}
        contentOf={contentOf}
        nameOf={(at) =>
          text('workflow.node', {
            name: tasks[at].name,
            type: tasks[at].type,
            line: contentOf(at).line,
            before: tasks[at].needs.length,
          })
        }
        label={text('workflow.graphOf', { count: tasks.length })}
        current={task}
        chosen={chosen}
        onCurrent={onTask}
        onOpen={onTask}
        onChosen={onChosen}
        onLink={onLink}
        onDropped={dropped}
      />
      {!read.whole && first && (
        <p className={style.broken} role="status">
          {text('editor.broken', { line: first.line, message: first.message })}
        </p>
      )}
    </div>
  );
}

/** Only boxes and arrows: typing in a script does not redraw the graph. */
function useStructure(drawn: Read['drawn']): readonly GraphTask[] {
  return useKept(useMemo(() => drawn.map(({ name, type, needs }) => ({ name, type, needs })), [drawn]));
}

/** The previous value while it is equal. */
function useKept<Value>(value: Value): Value {
  const kept = useRef({ value, key: '' });
  return useMemo(() => {
    const key = JSON.stringify(value);
    if (kept.current.key !== key) kept.current = { value, key };
    return kept.current.value;
  }, [value]);
}

/** How much is wrong with each task. */
function problemsByTask(
  drawn: Read['drawn'],
  problems: Read['problems'],
): readonly (readonly [name: string, count: number])[] {
  const names = new Map(drawn.map(({ index, name }) => [index, name]));
  const wrong = new Map<string, number>();
  for (const { path, doubt } of problems) {
    const name =
      path[0] === 'tasks' && typeof path[1] === 'number' && !doubt ? names.get(path[1]) : undefined;
    if (name !== undefined) wrong.set(name, (wrong.get(name) ?? 0) + 1);
  }
  return [...wrong];
}
