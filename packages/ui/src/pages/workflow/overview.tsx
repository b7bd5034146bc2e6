/** The overview of a workflow: its graph, its last runs, and their outliers. */
import { Button, SegmentedControl } from '@mantine/core';
import { type CSSProperties, useCallback, useMemo } from 'react';
import { runAddress, taskRunAddress, workflowAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import { TaskGraph } from '../../graph/task-graph.tsx';
import { useLanguage } from '../../i18n/text.tsx';
import { flaky, type Grid, slowest, stateAt, unpackGrid } from '../../model/grid.ts';
import { percent } from '../../model/number.ts';
import { runLine } from '../../model/run-form.ts';
import { duration } from '../../model/time.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { useStateWord } from '../../parts/state-badge.tsx';
import { GridView } from './grid-view.tsx';
import { type Shown, useWorkflowSearch } from './search.ts';
import style from './workflow.module.css';

/** A task that fails in at least this share of runs is marked as failing, a rarer one as doubtful. */
const FAILING = 0.2;

const users = {
  'sub-workflow': 'workflow.usedBy.sub-workflow',
  dynamic: 'workflow.usedBy.dynamic',
  dependent: 'workflow.usedBy.dependent',
  trigger: 'workflow.usedBy.trigger',
} as const;

export function Overview({ shown, onRun }: { shown: Shown; onRun(): void }) {
  const { text } = useLanguage();
  const go = useGo();
  const [search, setSearch] = useWorkflowSearch();
  const { project, name, workflow } = shown;
  const { data, error, refetch } = useApi('showGrid', { project, name, runs: 60 });
  const grid = useMemo(() => data && unpackGrid(data), [data]);
  const onTask = useCallback((task: string) => setSearch({ task }), [setSearch]);
  const isRun = grid !== undefined && grid.runs.length > 0;
  const colour = search.colour ?? 'last';
  return (
    <div
      className={style.overview}
      style={{ '--needed': `${140 + 20 * (grid?.tasks.length ?? workflow.tasks.length)}px` } as CSSProperties}
    >
      {workflow.description && <p className={style.wide}>{workflow.description}</p>}
      <section className={style.panel} aria-label={text('workflow.graph', { version: shown.version })}>
        <div className={style.panelHead}>
          <h2>{text('workflow.graph', { version: shown.version })}</h2>
          {isRun && (
            <SegmentedControl
              size="xs"
              aria-label={text('workflow.colour')}
              value={colour}
              onChange={(next) => setSearch({ colour: next === 'last' ? undefined : (next as 'rate') })}
              data={[
                { value: 'last', label: text('workflow.colour.last') },
                { value: 'rate', label: text('workflow.colour.rate') },
              ]}
            />
          )}
        </div>
        <LiveGraph
          shown={shown}
          grid={grid}
          colour={colour}
          task={search.task}
          onTask={onTask}
          onOpen={(task) => {
            const last = grid?.runs.at(-1);
            if (last) go(taskRunAddress(`${last.id}.${task}`));
          }}
        />
      </section>
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonBlock height={320} />}
      {grid && !isRun && (
        <EmptyState
          title={text('workflow.neverRan')}
          commands={[`${runLine({ workflow: `${project}/${name}`, params: {} })} --wait`]}
        >
          <Button variant="filled" onClick={onRun}>
            {text('workflows.run')}
          </Button>
        </EmptyState>
      )}
      {grid && isRun && (
        <GridView
          grid={grid}
          colour={search.cells ?? 'state'}
          task={search.task}
          onColour={(cells) => setSearch({ cells: cells === 'state' ? undefined : cells })}
          onTask={onTask}
          onOpenRun={(run) => go(runAddress(run))}
          onOpenTask={(run, task) => go(taskRunAddress(`${run}.${task}`))}
        />
      )}
      <Facts shown={shown} grid={grid} onTask={onTask} />
    </div>
  );
}

interface LiveGraphProps {
  readonly shown: Shown;
  readonly grid: Grid | undefined;
  readonly colour: 'last' | 'rate';
  readonly task: string | undefined;
  onTask(name: string): void;
  onOpen(name: string): void;
}

function LiveGraph({ shown, grid, colour, task, onTask, onOpen }: LiveGraphProps) {
  const { text } = useLanguage();
  const word = useStateWord();
  const { tasks } = shown.workflow;
  const rows = useMemo(() => new Map(grid?.tasks.map((name, row) => [name, row])), [grid]);
  const contentOf = useCallback(
    (index: number) => {
      const { name, disabled, type } = tasks[index];
      const row = rows.get(name);
      if (disabled) return { state: 'disabled', line: word('disabled') };
      if (!grid || row === undefined || grid.runs.length === 0) return { state: 'pending', line: type };
      if (colour === 'last') {
        const state = stateAt(grid, grid.runs.length - 1, row);
        return { state, line: state === 'absent' ? type : word(state) };
      }
      const [ran, failed] = [grid.figures.ran[row], grid.figures.failed[row]];
      const rate = failed / Math.max(1, ran);
      const state = ran === 0 ? 'pending' : rate === 0 ? 'success' : rate >= FAILING ? 'failed' : 'late';
      return { state, line: text('workflow.failedOf', { failed, ran }) };
    },
    [tasks, rows, grid, colour, text, word],
  );
  return (
    <TaskGraph
      tasks={tasks}
      contentOf={contentOf}
      nameOf={(index) =>
        text('workflow.node', {
          name: tasks[index].name,
          type: tasks[index].type,
          line: contentOf(index).line,
          before: tasks[index].needs.length,
        })
      }
      label={text('workflow.graphOf', { count: tasks.length })}
      current={task}
      onCurrent={onTask}
      onOpen={onOpen}
    />
  );
}

interface FactsProps {
  readonly shown: Shown;
  readonly grid: Grid | undefined;
  onTask(name: string): void;
}

function Facts({ shown, grid, onTask }: FactsProps) {
  const { text, locale, units } = useLanguage();
  const slow = grid ? slowest(grid, 3) : [];
  const shaky = grid ? flaky(grid, 3) : [];
  const named = (task: string) => (
    <Button variant="subtle" size="compact-xs" onClick={() => onTask(task)}>
      {task}
    </Button>
  );
  return (
    <dl className={`${style.facts} ${style.wide}`}>
      <dt>{text('workflow.usedBy')}</dt>
      <dd>
        {shown.usedBy.length === 0 && <span className="dim">{text('workflow.usedByNone')}</span>}
        {shown.usedBy.map(({ project, name, as }) => (
          <span key={`${project}/${name} ${as}`}>
            <Link to={workflowAddress(project, name)}>{`${project}/${name}`}</Link>{' '}
            <span className="dim">{text(users[as])}</span>
          </span>
        ))}
      </dd>
      {slow.length > 0 && <dt>{text('workflow.slowest')}</dt>}
      {slow.length > 0 && (
        <dd>
          {slow.map(({ task, share, count }) => (
            <span key={task}>
              {named(task)}
              {text('workflow.share', { share: percent(share, locale), time: duration(count, units) })}
            </span>
          ))}
        </dd>
      )}
      {shaky.length > 0 && <dt>{text('workflow.flaky')}</dt>}
      {shaky.length > 0 && (
        <dd>
          {shaky.map(({ task, count }) => (
            <span key={task}>
              {named(task)}
              {text('workflow.retried', { count, runs: grid?.runs.length ?? 0 })}
            </span>
          ))}
        </dd>
      )}
    </dl>
  );
}
