/**
 * The last runs of a workflow: columns are runs, rows are tasks, drawn on a canvas. One tab stop: arrows move a cell,
 * Enter opens the task run, in the first row the run itself. The pointer does the same. An elastic job shows its ticks
 * and shards with it, in words of its own.
 */
import { SegmentedControl } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from 'react';
import { useSizeChange } from '../../graph/use-size-change.ts';
import { useThemeChange } from '../../graph/use-theme-change.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { cellAt, type Grid, stateAt, timeOf } from '../../model/grid.ts';
import { duration } from '../../model/time.ts';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { useStateWord } from '../../parts/state-badge.tsx';
import { drawGrid, type GridColour, type GridPlace, gridColours, planGrid } from './draw-grid.ts';
import style from './workflow.module.css';

interface GridViewProps {
  readonly grid: Grid;
  readonly colour: GridColour;
  /** The highlighted task, by name. */
  readonly task: string | undefined;
  /** What it is about and what a cell is, where rows are no tasks. */
  readonly words?: { readonly title: string; tell(place: GridPlace): string };
  /** Without it cells show states only. */
  onColour?(colour: GridColour): void;
  onTask(name: string): void;
  onOpenRun(run: number): void;
  onOpenTask(run: number, task: string): void;
}

const colourWords = {
  state: 'workflow.grid.state',
  took: 'workflow.grid.took',
  waited: 'workflow.grid.waited',
} as const;

export function GridView(props: GridViewProps) {
  const { grid, colour, task, words, onColour, onTask, onOpenRun, onOpenTask } = props;
  const { text, units } = useLanguage();
  const word = useStateWord();
  const scroll = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const proxy = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<GridPlace | null>(null);
  const [seen, setSeen] = useState({ width: 0, height: 0 });
  const { width } = seen;
  const sized = useSizeChange();
  useThemeChange();
  const plan = planGrid(width, grid.runs.length);
  const { names, head, row, column } = plan;
  const [wide, high] = [names + grid.runs.length * column, head + grid.tasks.length * row];
  const turn = (one: GridColour) => () => onColour?.(colour === one ? 'state' : one);
  const title = words?.title ?? text('workflow.grid', { count: grid.runs.length });
  useKeys(
    onColour
      ? [
          { keys: 'd', label: text('workflow.grid.byTime'), run: turn('took') },
          { keys: 'q', label: text('workflow.grid.byWait'), run: turn('waited') },
        ]
      : [],
  );
  const draw = () => {
    const box = scroll.current;
    if (box && canvas.current)
      drawGrid(canvas.current, grid, plan, { left: box.scrollLeft, top: box.scrollTop }, colour, task);
  };
  useLayoutEffect(() => {
    const { clientWidth = 0, clientHeight = 0 } = scroll.current ?? {};
    if (clientWidth !== seen.width || clientHeight !== seen.height)
      setSeen({ width: clientWidth, height: clientHeight });
    draw();
  });
  // The view starts at the newest runs.
  const placed = useRef(false);
  useLayoutEffect(() => {
    if (placed.current || width === 0 || !scroll.current) return;
    placed.current = true;
    scroll.current.scrollLeft = scroll.current.scrollWidth;
  }, [width]);

  const place = at ?? { run: grid.runs.length - 1, task: -1 };
  const tell = (place: GridPlace): string => {
    if (words) return words.tell(place);
    const { run, task: index } = place;
    const { id, state, version, duration: took } = grid.runs[run];
    const time = (ms: number | null) => (ms === null ? 'none' : duration(ms, units));
    if (index < 0) return text('workflow.grid.run', { id, state: word(state), version, time: time(took) });
    const cell = cellAt(grid, run, index);
    return text('workflow.grid.cell', {
      task: grid.tasks[index],
      run: id,
      state: stateAt(grid, run, index) === 'absent' ? 'none' : word(stateAt(grid, run, index)),
      time: time(timeOf(grid.took[cell])),
      wait: time(timeOf(grid.waited[cell])),
    });
  };
  const open = ({ run, task: index }: GridPlace) => {
    if (index < 0) onOpenRun(grid.runs[run].id);
    else if (stateAt(grid, run, index) !== 'absent') onOpenTask(grid.runs[run].id, grid.tasks[index]);
  };
  const under = (event: PointerEvent): GridPlace | null => {
    const box = scroll.current;
    if (!box) return null;
    const frame = box.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left - names, event.clientY - frame.top - head];
    const run = Math.floor((x + box.scrollLeft) / column);
    const index = y < 0 ? -1 : Math.floor((y + box.scrollTop) / row);
    return x < 0 || run < 0 || run >= grid.runs.length || index >= grid.tasks.length
      ? null
      : { run, task: index };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [dx, dy] = moves[event.key] ?? [0, 0];
    if (event.key === 'Enter') open(place);
    else if (dx === 0 && dy === 0) return;
    else {
      const next = {
        run: Math.max(0, Math.min(grid.runs.length - 1, place.run + dx)),
        task: Math.max(-1, Math.min(grid.tasks.length - 1, place.task + dy)),
      };
      setAt(next);
      if (next.task >= 0) onTask(grid.tasks[next.task]);
      reveal(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const reveal = ({ run, task: index }: GridPlace) => {
    const box = scroll.current;
    if (!box) return;
    const [x, y] = [run * column, Math.max(0, index) * row];
    const [roomX, roomY] = [box.clientWidth - names, box.clientHeight - head];
    box.scrollLeft = Math.min(x, Math.max(box.scrollLeft, x + column - roomX));
    box.scrollTop = Math.min(y, Math.max(box.scrollTop, y + row - roomY));
  };
  return (
    <section className={style.panel} aria-label={title}>
      <div className={style.panelHead}>
        <h2>{title}</h2>
        {onColour && (
          <SegmentedControl
            size="xs"
            aria-label={text('workflow.grid.colour')}
            value={colour}
            onChange={(next) => onColour(next as GridColour)}
            data={gridColours.map((value) => ({ value, label: text(colourWords[value]) }))}
          />
        )}
      </div>
      <div ref={sized} className={style.gridRoom}>
        <div
          ref={scroll}
          className={style.gridScroll}
          onScroll={draw}
          onPointerMove={(event) => setAt(under(event) ?? at)}
        >
          <div className={style.gridInner} style={{ width: wide, height: high }}>
            <canvas ref={canvas} className={style.gridCanvas} style={seen} />
            <button
              type="button"
              ref={proxy}
              className={style.gridCell}
              aria-label={tell(place)}
              data-hint={tell(place)}
              style={{
                left: names + place.run * column,
                top: place.task < 0 ? 0 : head + place.task * row,
                width: column,
                height: place.task < 0 ? head - 1 : row,
                position: 'absolute',
              }}
              onClick={() => open(place)}
              onKeyDown={onKeyDown}
            />
          </div>
        </div>
      </div>
    </section>
  );
}

const moves: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  PageDown: [0, 20],
  PageUp: [0, -20],
  Home: [-1_000, 0],
  End: [1_000, 0],
};
