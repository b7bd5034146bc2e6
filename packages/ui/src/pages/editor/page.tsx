/** The editor of a workflow: its text and its graph beside each other, kept as a draft, and published without fear. */
import { Button, SegmentedControl } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { workflowAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { oneOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useAction, useApi } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { mergeLines } from '../../model/merge-lines.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { later } from '../../parts/later.tsx';
import { ChosenBar } from '../../parts/list/chosen-bar.tsx';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import type { DraftKeeper, DraftState } from './draft-keeper.ts';
import style from './editor.module.css';
import { HeadActions, Status } from './editor-head.tsx';
import { GraphPane } from './graph-pane.tsx';
import { Problems } from './problems.tsx';
import type { TaskType } from './reading.ts';
import { type Schema, typesOf } from './schema-help.ts';
import { TaskForm } from './task-form.tsx';
import { TasksTable } from './tasks-table.tsx';
import type { TextHandle } from './text-view.tsx';
import { TypesRail } from './types-rail.tsx';
import { useChosen } from './use-chosen.ts';
import { useDraft, useTheirs } from './use-draft.ts';
import { useGestures } from './use-gestures.ts';
import { lines, useReader, useReading } from './use-reading.ts';

const TextView = later('editor-text', async () => (await import('./text-view.tsx')).TextView);
const PublishDialog = later(
  'editor-publish',
  async () => (await import('./publish-dialog.tsx')).PublishDialog,
);
const ConflictDialog = later(
  'editor-conflict',
  async () => (await import('./conflict-dialog.tsx')).ConflictDialog,
);
const TestDialog = later('run-dialog', async () => (await import('../workflows/run-dialog.tsx')).RunDialog);

const fields = {
  task: textField(),
  /** The pane beside the graph. */
  as: oneOf(['form', 'text', 'tasks'] as const),
  open: oneOf(['publish', 'discard', 'test'] as const),
};

export function Page() {
  const { project = '', name = '' } = useParams({ strict: false }) as Record<string, string | undefined>;
  const { text } = useLanguage();
  const reader = useReader();
  const draft = useDraft(project, name);
  const { start, error, refetch, keeper } = draft;
  const full = `${project}/${name}`;
  const crumbs = [
    { label: text('nav.workflows'), to: '/workflows' },
    { label: full, to: workflowAddress(project, name) },
    { label: text('editor.edit') },
  ];
  // What the page will need is on its way while the text is.
  useEffect(() => void TextView.load(), []);
  if (keeper) return <Editor key={full} {...{ project, name, draft, keeper, reader, crumbs }} />;
  return (
    <Frame title={full} crumbs={crumbs}>
      {error && <ErrorPanel error={error} retry={() => void refetch()} />}
      {start === null && (
        <EmptyState title={text('editor.missing', { name: full })}>
          <Link to="/workflows">{text('nav.workflows')}</Link>
        </EmptyState>
      )}
      {start === undefined && !error && <SkeletonBlock height={480} />}
    </Frame>
  );
}

interface EditorProps {
  readonly project: string;
  readonly name: string;
  readonly draft: ReturnType<typeof useDraft>;
  readonly keeper: DraftKeeper;
  readonly reader: ReturnType<typeof useReader>;
  readonly crumbs: Parameters<typeof Frame>[0]['crumbs'];
}

function Editor({ project, name, draft: { row, mayEdit = false }, keeper, reader, crumbs }: EditorProps) {
  const { text, sentence } = useLanguage();
  const go = useGo();
  const [search, setSearch] = useSearch(fields);
  const { data: known } = useApi('listTaskTypes', {});
  const schema = useApi('readWorkflowSchema', {}).data as Schema | undefined;
  const types = known?.taskTypes as readonly TaskType[] | undefined;
  const handle = useRef<TextHandle>(null);
  /** Where someone types; null once a task was chosen otherwise. */
  const caret = useRef<number>(null);
  const [shown, setShown] = useState<readonly string[]>([]);
  const { read: plain, setText } = useReading(reader, keeper.text, types, shown);
  const problems = useMemo(
    () => plain.problems.map((each) => ({ ...each, message: sentence(each.message, each.said) })),
    [plain.problems, sentence],
  );
  const read = useMemo(() => ({ ...plain, problems }), [plain, problems]);
  const chooseTask = (task: string) => {
    caret.current = null;
    setSearch({ task });
    const found = read.drawn.find((one) => one.name === task);
    if (found && read.whole) handle.current?.reveal(found.from);
  };
  const { control, names: chosen, meant, ...choice } = useChosen(read.drawn, search.task, chooseTask);
  // The form belongs to the selected tasks.
  if (shown.join('\n') !== meant.join('\n')) setShown(meant);
  const [steps, setSteps] = useState({ undo: 0, redo: 0 });
  const full = `${project}/${name}`;
  const live = row?.version ?? null;
  const errors = read.problems.filter(({ doubt }) => !doubt);
  const names = useMemo(
    () => ({ tasks: read.drawn.map((task) => task.name), types: schema ? typesOf(schema).toSorted() : [] }),
    [read.drawn, schema],
  );
  const canDraw = mayEdit && read.whole;
  const current = read.drawn.find((task) => task.name === search.task);

  const onText = useCallback(
    (now: string, depth: { undo: number; redo: number }) => {
      keeper.edit(now);
      setText(now);
      setSteps((before) => (before.undo === depth.undo && before.redo === depth.redo ? before : depth));
    },
    [keeper, setText],
  );
  const onReady = useCallback((ready: TextHandle | null) => {
    handle.current = ready;
  }, []);
  const followCaret = () => {
    const at = caret.current;
    if (at === null || !read.whole) return;
    const inside = read.drawn.find(({ from, to }) => at >= from && at <= to);
    if (inside && inside.name !== search.task) setSearch({ task: inside.name });
  };
  const onCaret = (at: number) => {
    caret.current = at;
    if (lines(keeper.text) === read.of) followCaret();
  };
  const follow = useRef(followCaret);
  follow.current = followCaret;
  // What was typed is read a moment later.
  useEffect(() => {
    if (read.of !== null) follow.current();
  }, [read]);
  const gestures = useGestures({
    keeper,
    reader,
    handle,
    read,
    canDraw,
    current: search.task,
    setText,
    onBegin: () => {
      caret.current = null;
    },
    onCurrent: (task) => setSearch({ task }),
  });
  useTheirs(keeper, row, { project, name }, (theirs) => {
    keeper.resolve(theirs.text, theirs);
    handle.current?.replace(theirs.text);
    notify(text('editor.taken', { author: theirs.author }));
  });

  const rebase = async () => {
    if (live === null) return;
    const [base, theirs] = await Promise.all([
      keeper.base === null ? '' : call('readSource', { project, name, version: keeper.base }),
      call('readSource', { project, name, version: live }),
    ]);
    const merged = mergeLines(base, keeper.text, theirs, { mine: text('editor.mine'), theirs: `v${live}` });
    keeper.rebase(merged.text, live);
    handle.current?.replace(merged.text);
    notify(
      text('editor.rebased', { live, conflicts: merged.conflicts }),
      merged.conflicts > 0 ? 'bad' : 'good',
    );
  };
  const discard = useAction('discardDraft', ['listWorkflows', 'showWorkflow']);
  const leave = () => go(workflowAddress(project, name));
  const throwAway = async () => {
    await keeper.end();
    if (keeper.revision === 0) return leave();
    discard.mutate({ project, name }, { onSuccess: live === null ? () => go('/workflows') : leave });
  };
  const isDraft = keeper.revision > 0 || keeper.text !== keeper.saved;
  const cannotPublish = !mayEdit
    ? text(row?.module ? 'editor.fromModule' : 'workflows.mayNot')
    : errors.length > 0
      ? text('editor.fixFirst', { count: errors.length })
      : !isDraft
        ? text('editor.nothingToPublish')
        : undefined;
  /** Opens a dialog about the draft as the server has it. */
  const openSaved = async (open: 'publish' | 'test') => {
    if (await keeper.flush()) setSearch({ open }, { push: true });
  };
  const close = () => setSearch({ open: undefined });
  const cannotDo = meant.length > 0 ? undefined : text('editor.chooseTask');
  const cannotChange = canDraw ? cannotDo : text('editor.cannotDraw');
  const { as = 'text' } = search;
  const [connecting, setConnecting] = useState(false);
  const onConnecting = useCallback(() => setConnecting(false), []);
  useKeys([
    {
      keys: 'mod+enter',
      label: text('editor.publish'),
      refused: cannotPublish,
      run: () => void openSaved('publish'),
    },
    { keys: 't', label: text('editor.test'), refused: cannotPublish, run: () => void openSaved('test') },
    {
      keys: 'a',
      label: text('editor.add'),
      refused: canDraw ? undefined : text('editor.cannotDraw'),
      run: () => document.getElementById('editor-type')?.focus(),
    },
    {
      keys: 'e',
      label: text('editor.connect'),
      refused: cannotChange,
      run: () => {
        setSearch({ as: 'form' });
        setConnecting(true);
      },
    },
    {
      keys: 'Delete',
      label: text('editor.remove', { count: meant.length }),
      refused: cannotChange,
      run: () => gestures.act({ do: 'remove', names: meant }),
    },
    {
      keys: 'd',
      label: text('editor.duplicate'),
      refused: cannotChange,
      run: () => gestures.act({ do: 'duplicate', names: meant }),
    },
    {
      keys: 'y',
      label: text('editor.copyYaml'),
      refused: cannotDo,
      run: () => void gestures.copy(meant),
    },
    {
      keys: 'mod+\\',
      label: text('editor.formOrText'),
      run: () => setSearch({ as: as === 'form' ? 'text' : 'form' }),
    },
    {
      keys: 'T',
      label: text('editor.tasks'),
      run: () => setSearch({ as: as === 'tasks' ? 'text' : 'tasks' }),
    },
    { keys: 'mod+s', label: text('editor.saveNow'), run: () => void keeper.flush() },
  ]);
  const conflict = keeper.state.kind === 'conflict' ? keeper.state : undefined;
  const [asideOf, setAsideOf] = useState<DraftState>();
  return (
    <Frame
      title={full}
      heading={
        <>
          {full}{' '}
          <span className={style.status}>
            <Status keeper={keeper} live={live} mayEdit={mayEdit} isDraft={isDraft} />
          </span>
        </>
      }
      crumbs={crumbs}
      fixed
      actions={
        <HeadActions
          steps={steps}
          handle={handle}
          cannotPublish={cannotPublish}
          onDiscard={mayEdit && isDraft ? () => setSearch({ open: 'discard' }, { push: true }) : undefined}
          onOpen={(open) => void openSaved(open)}
        />
      }
    >
      {!mayEdit && (
        <p className={style.bar}>
          {row?.module
            ? text('editor.madeFrom', {
                module: row.module,
                author: row.owner,
                command: `orrery apply -f ${quoted(row.module)}`,
              })
            : text('editor.readOnly')}
        </p>
      )}
      {mayEdit && live !== null && isDraft && keeper.base !== live && (
        <p className={style.bar} role="status">
          {text('editor.newerLive', { live, base: keeper.base ?? 0 })}
          <Button size="compact-xs" onClick={() => void rebase()}>
            {text('editor.mergeLive', { live })}
          </Button>
        </p>
      )}
      {conflict && asideOf === conflict && (
        <p className={style.bar} role="alert">
          {text('editor.notSaved')}
          <Button size="compact-xs" onClick={() => setAsideOf(undefined)}>
            {text('editor.resolve')}
          </Button>
        </p>
      )}
      {keeper.state.kind === 'refused' && (
        <ErrorPanel error={keeper.state.error} retry={() => void keeper.flush()} />
      )}
      <div className={style.sides}>
        {mayEdit && <TypesRail types={names.types} onAdd={gestures.add} />}
        <section className={style.graph} aria-label={text('editor.graph')}>
          <GraphPane
            read={read}
            task={search.task}
            chosen={choice.chosen}
            onTask={chooseTask}
            onChosen={choice.add}
            onLink={canDraw ? (from, to) => gestures.act({ do: 'connect', from, to }) : undefined}
            onDropped={canDraw ? gestures.add : undefined}
          />
        </section>
        <section className={style.side} aria-label={text('editor.text')}>
          <SegmentedControl
            className={style.choice}
            size="xs"
            aria-label={text('editor.formOrText')}
            value={as}
            onChange={(next) => setSearch({ as: next as typeof as })}
            data={[
              { value: 'text', label: 'YAML' },
              { value: 'form', label: text('editor.form') },
              { value: 'tasks', label: text('editor.tasks') },
            ]}
          />
          {as === 'form' && (
            <div className={style.formRoom}>
              {schema && read.fields ? (
                <TaskForm
                  key={read.fields.names.join('\n')}
                  schema={schema}
                  fields={read.fields}
                  tasks={read.drawn}
                  types={names.types}
                  readOnly={!canDraw}
                  connecting={connecting}
                  onConnecting={onConnecting}
                  onDo={gestures.act}
                  onWorkflow={() => {
                    choice.clear();
                    setSearch({ task: undefined });
                  }}
                />
              ) : (
                <p className="dim">{text('editor.onlyText')}</p>
              )}
            </div>
          )}
          {as === 'tasks' && (
            <TasksTable tasks={read.drawn} control={control} onOpen={() => setSearch({ as: 'form' })} />
          )}
          <div className={style.codeRoom} data-hidden={as !== 'text' || undefined}>
            <TextView
              text={keeper.text}
              label={text('editor.source', { name: full })}
              readOnly={!mayEdit}
              schema={schema}
              names={names}
              problems={read.problems}
              marked={current}
              phrases={phrasesOf(text)}
              onReady={onReady}
              onText={onText}
              onCaret={onCaret}
            />
          </div>
          <ChosenBar count={chosen.length} onClear={choice.clear}>
            {as !== 'form' && (
              <Button size="compact-xs" onClick={() => setSearch({ as: 'form' })}>
                {text('editor.form')}
              </Button>
            )}
            <Button size="compact-xs" onClick={() => void gestures.copy(chosen)}>
              {text('editor.copyYaml')}
            </Button>
          </ChosenBar>
          <Problems
            problems={read.problems}
            onOpen={(at) => {
              setSearch({ as: 'text' });
              handle.current?.reveal(offsetOf(keeper.text, at), true);
            }}
          />
        </section>
      </div>
      {search.open === 'publish' && (
        <PublishDialog
          project={project}
          name={name}
          live={live}
          revision={keeper.revision}
          nextDue={row?.nextDue ?? null}
          tasks={read.drawn}
          onClose={close}
          onPublished={() => {
            void keeper.end().then(leave);
          }}
        />
      )}
      {search.open === 'test' && read.start && keeper.revision > 0 && (
        <TestDialog
          workflow={full}
          draft={{ ...read.start, tasks: read.drawn, revision: keeper.revision }}
          onClose={close}
        />
      )}
      {search.open === 'discard' && (
        <Confirm
          title={text('editor.discardTitle')}
          deed={text('editor.discard')}
          danger
          pending={discard.isPending}
          onConfirm={() => void throwAway()}
          onClose={close}
        >
          <p>{live === null ? text('editor.discardAll') : text('editor.discardWords', { live })}</p>
        </Confirm>
      )}
      {conflict && asideOf !== conflict && (
        <ConflictDialog
          base={keeper.saved}
          mine={keeper.text}
          theirs={conflict.theirs}
          onClose={() => setAsideOf(conflict)}
          onResolve={(now) => {
            keeper.resolve(now, conflict.theirs);
            handle.current?.replace(now);
          }}
        />
      )}
    </Frame>
  );
}

/** Where a line and column are in a text. */
function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  let at = 0;
  const lines = text.replaceAll('\r\n', '\n');
  for (let k = 1; k < line; k++) at = lines.indexOf('\n', at) + 1;
  return at + column - 1;
}

/** The words of the search panel. */
function phrasesOf(text: ReturnType<typeof useLanguage>['text']): Record<string, string> {
  return {
    Find: text('editor.find'),
    Replace: text('editor.replace'),
    next: text('editor.findNext'),
    previous: text('editor.findPrevious'),
    all: text('editor.findAll'),
    'match case': text('editor.matchCase'),
    regexp: text('editor.regexp'),
    'by word': text('editor.byWord'),
    replace: text('editor.replaceOne'),
    'replace all': text('editor.replaceAll'),
    close: text('close'),
  };
}
