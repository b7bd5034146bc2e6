/** What differs between two versions: in words, in one graph of both, and in the text. One selection for all. */
import { Button, SegmentedControl, Select } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { versionsAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { TaskGraph } from '../../graph/task-graph.tsx';
import { useLanguage } from '../../i18n/text.tsx';
import type { GraphTask } from '../../model/graph.ts';
import { diffLines } from '../../model/line-diff.ts';
import {
  type DiffRow,
  type DiffTask,
  diffRows,
  mergedTasks,
  type SideLine,
} from '../../model/version-diff.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { type Shown, useWorkflowSearch } from './search.ts';
import style from './workflow.module.css';

export type Comparison = AnswerOf<'compareVersions'>;
type Side = number | 'draft';

/** States that look like what became of a task: green came, red went, amber differs. */
const looks = {
  added: 'success',
  removed: 'failed',
  changed: 'late',
  moved: 'retrying',
  same: 'pending',
} as const;

const changeWords = {
  added: 'workflow.diff.added',
  removed: 'workflow.diff.removed',
  changed: 'workflow.diff.changed',
  moved: 'workflow.diff.moved',
  same: 'workflow.diff.same',
} as const;

export function VersionDiff({ shown, from, to }: { shown: Shown; from: Side; to: Side }) {
  const { text } = useLanguage();
  const go = useGo();
  const [search, setSearch] = useWorkflowSearch();
  const { project, name, live, draft } = shown;
  const { data, error, refetch } = useApi('compareVersions', { project, name, from, to }, { keep: true });
  // A draft has no graph of its own here: it is compared in words and text.
  const of = (version: Side) =>
    from === 'draft' || to === 'draft' || version === 'draft' ? null : { project, name, version };
  const before = useApi('showWorkflow', of(from)).data?.workflow.tasks;
  const after = useApi('showWorkflow', of(to)).data?.workflow.tasks;
  const sides = Array.from({ length: live }, (_, k) => String(live - k));
  const choice = (label: string, value: Side, onChange: (next: Side) => void, withDraft: boolean) => (
    <Select
      size="xs"
      className={style.side}
      aria-label={label}
      data={[
        ...(withDraft && draft ? [{ value: 'draft', label: text('workflows.draft') }] : []),
        ...sides.map((version) => ({ value: version, label: `v${version}` })),
      ]}
      value={String(value)}
      allowDeselect={false}
      onChange={(next) => next && onChange(next === 'draft' ? next : Number(next))}
    />
  );
  return (
    <div className={style.compared}>
      <div className={style.panelHead}>
        {choice(
          text('workflow.diff.from'),
          from,
          (next) => go(versionsAddress(project, name, next, to)),
          false,
        )}
        <span aria-hidden="true">→</span>
        {choice(text('workflow.diff.to'), to, (next) => go(versionsAddress(project, name, from, next)), true)}
        <SegmentedControl
          size="xs"
          aria-label={text('workflow.diff.view')}
          value={search.diff ?? 'split'}
          onChange={(next) => setSearch({ diff: next === 'split' ? undefined : (next as 'unified') })}
          data={[
            { value: 'split', label: text('workflow.diff.split') },
            { value: 'unified', label: text('workflow.diff.unified') },
          ]}
        />
      </div>
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonBlock height={320} />}
      {data?.same && <p>{text('workflow.diff.none')}</p>}
      {data && (
        <>
          <Changes compared={data} onTask={(task) => setSearch({ task })} />
          <DiffGraph
            before={before}
            after={after}
            compared={data}
            task={search.task}
            onTask={(task) => setSearch({ task })}
          />
          <TextDiff texts={data.texts} unified={search.diff === 'unified'} task={search.task} />
        </>
      )}
    </div>
  );
}

/** Every change in a line. */
export function Changes({ compared, onTask }: { compared: Comparison; onTask(name: string): void }) {
  const { text } = useLanguage();
  const { tasks, edges, schedules, fields } = compared;
  const value = (one: unknown) =>
    one === undefined ? '–' : typeof one === 'string' ? one : JSON.stringify(one);
  const task = (name: string) => (
    <Button variant="subtle" size="compact-xs" onClick={() => onTask(name)}>
      {name}
    </Button>
  );
  const change = ({ path, before, after }: Comparison['fields'][number]) => (
    <span key={path} className={style.change}>
      <code>{path}</code> <del>{value(before)}</del> → <ins>{value(after)}</ins>
    </span>
  );
  return (
    <ul className={style.changes} aria-label={text('workflow.diff.list')}>
      {tasks.added.map((name) => (
        <li key={name} data-change="added">
          {text('workflow.diff.taskAdded')} {task(name)}
        </li>
      ))}
      {tasks.removed.map((name) => (
        <li key={name} data-change="removed">
          {text('workflow.diff.taskRemoved')} {task(name)}
        </li>
      ))}
      {tasks.changed.map(({ name, changes }) => (
        <li key={name} data-change="changed">
          {task(name)} {changes.map(change)}
        </li>
      ))}
      {edges.added.map(({ from, to }) => (
        <li key={`+${from} ${to}`} data-change="added">
          {text('workflow.diff.edgeAdded', { from, to })}
        </li>
      ))}
      {edges.removed.map(({ from, to }) => (
        <li key={`-${from} ${to}`} data-change="removed">
          {text('workflow.diff.edgeRemoved', { from, to })}
        </li>
      ))}
      {schedules.added.map((name) => (
        <li key={`s${name}`} data-change="added">
          {text('workflow.diff.scheduleAdded', { name })}
        </li>
      ))}
      {schedules.removed.map((name) => (
        <li key={`s${name}`} data-change="removed">
          {text('workflow.diff.scheduleRemoved', { name })}
        </li>
      ))}
      {schedules.changed.map(({ name, changes }) => (
        <li key={`s${name}`} data-change="changed">
          {text('workflow.diff.schedule', { name })} {changes.map(change)}
        </li>
      ))}
      {fields.map((field) => (
        <li key={`f${field.path}`} data-change="changed">
          {change(field)}
        </li>
      ))}
    </ul>
  );
}

interface DiffGraphProps {
  /** The tasks of either side; without both there is no graph. */
  readonly before: readonly GraphTask[] | undefined;
  readonly after: readonly GraphTask[] | undefined;
  readonly compared: Comparison;
  readonly task: string | undefined;
  onTask(name: string): void;
}

const none: readonly DiffTask[] = [];

export function DiffGraph({ before, after, compared, task, onTask }: DiffGraphProps) {
  const { text } = useLanguage();
  const tasks = useMemo(
    () => (before && after ? mergedTasks(before, after, compared.tasks) : none),
    [before, after, compared],
  );
  const contentOf = useCallback(
    (index: number) => ({
      state: looks[tasks[index].change],
      line: text(changeWords[tasks[index].change]),
    }),
    [tasks, text],
  );
  if (tasks.length === 0) return null;
  return (
    <div className={style.diffGraph}>
      <TaskGraph
        tasks={tasks}
        contentOf={contentOf}
        nameOf={(index) =>
          text('workflow.node', {
            name: tasks[index].name,
            type: tasks[index].type,
            line: text(changeWords[tasks[index].change]),
            before: tasks[index].needs.length,
          })
        }
        label={text('workflow.diff.graph')}
        current={task}
        onCurrent={onTask}
        onOpen={onTask}
      />
    </div>
  );
}

interface TextDiffProps {
  readonly texts: Comparison['texts'];
  readonly unified: boolean;
  /** The task to scroll to. */
  readonly task: string | undefined;
}

export function TextDiff({ texts, unified, task }: TextDiffProps) {
  const { text } = useLanguage();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const lines = useMemo(() => diffLines(texts.from.split('\n'), texts.to.split('\n')), [texts]);
  const rows = useMemo(() => diffRows(lines, opened), [lines, opened]);
  const box = useRef<HTMLTableElement>(null);
  useEffect(() => {
    if (task === undefined) return;
    const named = new RegExp(`name:\\s*['"]?${task.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"]?\\s*(,|$)`);
    const found = [...(box.current?.querySelectorAll('tr') ?? [])].find((row) =>
      [...row.querySelectorAll('code')].some((line) => named.test(line.textContent ?? '')),
    );
    found?.scrollIntoView({ block: 'nearest' });
  }, [task]);
  const side = (line: SideLine | undefined, mark: '+' | '−' | ' ', numbered = false) => (
    <>
      {!numbered && <td className={style.lineNumber}>{line?.number}</td>}
      <td data-mark={line ? mark : undefined}>
        {line && mark !== ' ' && (
          <span className="visually-hidden">
            {text(mark === '+' ? 'workflow.diff.came' : 'workflow.diff.went')}
          </span>
        )}
        {line && (
          <code>
            {mark} {line.text}
          </code>
        )}
      </td>
    </>
  );
  const unifiedRows = (row: Exclude<DiffRow, { kind: 'fold' }>, key: string) =>
    row.kind === 'same' ? (
      <tr key={key}>
        <td className={style.lineNumber}>{row.before?.number}</td>
        {side(row.after, ' ')}
      </tr>
    ) : (
      [
        row.before && (
          <tr key={`${key}-`}>
            <td className={style.lineNumber}>{row.before.number}</td>
            <td />
            {side(row.before, '−', true)}
          </tr>
        ),
        row.after && (
          <tr key={`${key}+`}>
            <td />
            {side(row.after, '+')}
          </tr>
        ),
      ]
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and must do so by keyboard too
    <section className={style.textDiff} tabIndex={0} aria-label={text('workflow.diff.text')}>
      <table ref={box}>
        <colgroup>
          <col className={style.numberColumn} />
          <col className={unified ? style.numberColumn : undefined} />
          <col className={unified ? undefined : style.numberColumn} />
          {!unified && <col />}
        </colgroup>
        <tbody>
          {rows.map((row, at) => {
            const key = String(at);
            if (row.kind === 'fold')
              return (
                <tr key={key} className={style.foldRow}>
                  <td colSpan={unified ? 3 : 4}>
                    <Button
                      variant="subtle"
                      size="compact-xs"
                      onClick={() => setOpened(new Set([...opened, row.id]))}
                    >
                      {text('workflow.diff.fold', { count: row.count })}
                    </Button>
                  </td>
                </tr>
              );
            if (unified) return unifiedRows(row, key);
            return (
              <tr key={key}>
                {side(row.before, row.kind === 'same' ? ' ' : '−')}
                {side(row.after, row.kind === 'same' ? ' ' : '+')}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
