/** A workflow: what it is, and how it has behaved. */
import { Button } from '@mantine/core';
import { ApiProblem } from '@orrery/sdk/client';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import {
  backfillAddress,
  editAddress,
  runsAddress,
  scheduleAddress,
  workflowAddress,
  workflowTabAddress,
} from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { useApi } from '../../data/api.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { later } from '../../parts/later.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { useScheduleWords } from '../../parts/schedule-when.ts';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Table } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { MoreMenu } from '../workflows/more-menu.tsx';
import { MoveDialog } from '../workflows/move-dialog.tsx';
import { nameOf, type Row, refusalOf } from '../workflows/row.ts';
import { RunDialog } from '../workflows/run-dialog.tsx';
import { useWorkflowActions } from '../workflows/use-workflow-actions.ts';
import { Overview } from './overview.tsx';
import { type Shown, useWorkflowSearch } from './search.ts';
import style from './workflow.module.css';

const Versions = later('versions', async () => (await import('./versions.tsx')).Versions);
const VersionDiff = later('version-diff', async () => (await import('./version-diff.tsx')).VersionDiff);
const Parameters = later('parameters', async () => (await import('./parameters.tsx')).Parameters);
const Settings = later('settings', async () => (await import('./settings.tsx')).Settings);

const tabs = {
  overview: 'workflow.tab.overview',
  runs: 'nav.runs',
  versions: 'workflow.tab.versions',
  schedules: 'workflow.tab.schedules',
  parameters: 'workflow.tab.parameters',
  settings: 'workflow.tab.settings',
} as const;

type Tab = keyof typeof tabs;

export function Page() {
  const { project, name, tab, pair } = useParams({ strict: false }) as Record<string, string | undefined>;
  return (
    <WorkflowPage
      key={`${project}/${name}`}
      project={project ?? ''}
      name={name ?? ''}
      tab={tab}
      pair={pair}
    />
  );
}

interface WorkflowPageProps {
  readonly project: string;
  readonly name: string;
  readonly tab: string | undefined;
  /** Two versions, as `12..13`. */
  readonly pair: string | undefined;
}

function WorkflowPage({ project, name, tab: given, pair }: WorkflowPageProps) {
  const text = useText();
  const go = useGo();
  const [search, setSearch] = useWorkflowSearch();
  const full = `${project}/${name}`;
  const { data: shown, error, refetch } = useApi('showWorkflow', { project, name });
  const names = useMemo(() => ({ names: [full], include: ['next', 'draft'] as const }), [full]);
  const row = useApi('listWorkflows', names).data?.workflows[0];
  const tab: Tab = pair === undefined ? (given && given in tabs ? (given as Tab) : 'overview') : 'versions';
  const open = (dialog: typeof search.open) => setSearch({ open: dialog }, { push: dialog !== undefined });
  useTellSame({ request: `/workflows/${full}`, command: `orrery workflows versions ${quoted(full)}` });
  const addressOf = (one: Tab) =>
    one === 'overview'
      ? workflowAddress(project, name)
      : one === 'runs'
        ? runsAddress({ workflow: full })
        : workflowTabAddress(project, name, one);
  return (
    <Frame
      title={full}
      heading={
        <>
          {full}{' '}
          {shown && (
            <span className={style.version}>
              {text('workflow.live', { version: shown.live })}
              {shown.offlineSince !== null && (
                <span data-hint={text('workflows.offlineHint')}> · {text('workflows.offline')}</span>
              )}
              {shown.draft && ` · ${text('workflows.draftBy', { author: shown.draft.author })}`}
            </span>
          )}
        </>
      }
      crumbs={[{ label: text('nav.workflows'), to: '/workflows' }, { label: full }]}
      actions={row ? <Actions row={row} onOpen={open} /> : <span className={style.actionRoom} />}
      lines={
        <Tabs
          label={text('workflow.tabs')}
          current={tab}
          tabs={(Object.keys(tabs) as Tab[]).map((one) => ({
            name: one,
            label: text(tabs[one]),
            to: addressOf(one),
          }))}
        />
      }
    >
      {error && !shown && isMissing(error) && row ? (
        <OnlyDraft row={row} />
      ) : (
        error && !shown && <ErrorPanel error={error} retry={() => void refetch()} />
      )}
      {!shown && !error && <SkeletonBlock height={420} />}
      {shown && tab === 'overview' && <Overview shown={shown} onRun={() => open('run')} />}
      {shown && tab === 'versions' && pair === undefined && (
        <div className={style.fill}>
          <Versions shown={shown} />
        </div>
      )}
      {shown && pair !== undefined && <Compared shown={shown} pair={pair} />}
      {shown && tab === 'schedules' && <Schedules full={full} />}
      {shown && tab === 'parameters' && <Parameters shown={shown} />}
      {shown && tab === 'settings' && <Settings shown={shown} />}
      {search.open === 'run' && <RunDialog workflow={full} onClose={() => open(undefined)} />}
      {search.open === 'move' && (
        <MoveDialog
          workflows={[full]}
          onLeft={() => {}}
          onMoved={(to) => go(workflowAddress(to.project, to.name), { replace: true })}
          onClose={() => open(undefined)}
        />
      )}
    </Frame>
  );
}

function Actions({ row, onOpen }: { row: Row; onOpen(dialog: 'run' | 'move'): void }) {
  const text = useText();
  const go = useGo();
  const actions = useWorkflowActions();
  const isOn = row.schedules?.some(({ state }) => state === 'on') ?? false;
  const toggle = isOn ? 'pause-schedules' : 'resume-schedules';
  const of = (action: string) => row.actions.find((each) => each.name === action);
  useKeys([
    { keys: 'r', label: text('workflows.run'), refused: refusalOf(row, 'run'), run: () => onOpen('run') },
    {
      keys: 'p',
      label: text('workflows.togglePause'),
      refused: refusalOf(row, toggle),
      run: () => void actions.togglePause(row),
    },
    {
      keys: 'm',
      label: text('workflows.moveTo'),
      refused: refusalOf(row, 'move'),
      run: () => onOpen('move'),
    },
    { keys: 'e', label: text('editor.edit'), run: () => go(editAddress(row.project, row.name)) },
    { keys: 'y', label: text('workflows.copyName'), run: () => actions.copyName(row) },
  ]);
  return (
    <>
      <ActionButton
        action={of('run')}
        label={text('workflows.run')}
        keys="r"
        primary
        onRun={() => onOpen('run')}
      />
      <ActionButton
        action={of(toggle)}
        label={text(isOn ? 'workflows.pause' : 'workflows.resume')}
        keys="p"
        onRun={() => void actions.togglePause(row)}
      />
      <Button data-hint="e" onClick={() => go(editAddress(row.project, row.name))}>
        {text('editor.edit')}
      </Button>
      <Button onClick={() => go(backfillAddress({ workflow: nameOf(row) }))}>
        {text('workflow.backfill')}
      </Button>
      <MoreMenu
        row={row}
        tabStop
        actions={actions}
        onRun={() => onOpen('run')}
        onMove={() => onOpen('move')}
      />
    </>
  );
}

/** Two versions from an address such as `12..13` or `13..draft`; anything else is reported. */
function Compared({ shown, pair }: { shown: Shown; pair: string }) {
  const text = useText();
  const [, from, to] = /^([1-9]\d{0,8})\.\.([1-9]\d{0,8}|draft)$/.exec(pair) ?? [];
  if (from === undefined) return <EmptyState title={text('workflow.diff.wrong', { pair })} />;
  return <VersionDiff shown={shown} from={Number(from)} to={to === 'draft' ? to : Number(to)} />;
}

function Schedules({ full }: { full: string }) {
  const text = useText();
  const words = useScheduleWords();
  const { data, error, refetch } = useApi('listSchedules', { workflow: full });
  if (error && !data) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (!data) return <SkeletonBlock height={120} />;
  if (data.schedules.length === 0)
    return <EmptyState title={text('workflow.noSchedule')} commands={scheduleLines} />;
  return (
    <div className={style.tab}>
      <Table
        label={text('workflow.tab.schedules')}
        rows={data.schedules}
        keyOf={({ id }) => id}
        columns={[
          {
            label: text('workflow.params.name'),
            head: true,
            cell: ({ id, name }) => <Link to={scheduleAddress(id)}>{name}</Link>,
          },
          { label: text('workflow.schedule.when'), cell: (one) => words(one, true) },
          {
            label: text('workflow.schedule.state'),
            cell: ({ state, late }) => <StateBadge state={late ? 'late' : state} />,
          },
          {
            label: text('workflows.next'),
            cell: ({ nextDue, timezone }) => (nextDue ? <Time at={nextDue} zone={timezone} /> : '–'),
          },
        ]}
      />
    </div>
  );
}

const scheduleLines = ["schedules: [{ name: nightly, cron: '0 2 * * *', timezone: Asia/Shanghai }]"];

/** A workflow that was never published: its draft, and the way to where it is published. */
function OnlyDraft({ row }: { row: Row }) {
  const text = useText();
  const go = useGo();
  const { project, name } = row;
  const { data } = useApi('readDraft', { project, name });
  return (
    <EmptyState title={text('workflow.onlyDraft', { name: nameOf(row) })}>
      {data && <pre className={style.draft}>{data.text}</pre>}
      <Button variant="filled" onClick={() => go(editAddress(project, name))}>
        {text('editor.edit')}
      </Button>
    </EmptyState>
  );
}

function isMissing(error: Error): boolean {
  return error instanceof ApiProblem && error.status === 404;
}
