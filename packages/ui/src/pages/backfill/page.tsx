/** A backfill: its business times as a calendar, and what can be done while it runs. */
import { Button, NumberInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { runAddress, runsAddress, workflowAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useAction, useApi, usePages } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useNow } from '../../data/clock.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { exact, percent } from '../../model/number.ts';
import { lookOf } from '../../model/state.ts';
import { duration } from '../../model/time.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { StateBadge, StateIcon, useStateWord } from '../../parts/state-badge.tsx';
import { useControl } from '../../parts/use-control.ts';
import style from './backfill.module.css';

type Run = AnswerOf<'showRun'>;
type Child = AnswerOf<'listRuns'>['runs'][number];

/** Runs read at a time, the newest first. */
const PAGE = 1_000;
/** With more business times, months are folded. */
const FOLDED = 500;
const EVERY = 2_000;

export function Page() {
  const { id: given } = useParams({ strict: false }) as { id: string };
  const { text } = useLanguage();
  const id = /^[1-9]\d{0,14}$/.test(given) ? Number(given) : null;
  const { data, error, refetch } = useApi('showRun', id === null ? null : { id });
  useTellSame({ request: `/runs/${given}`, command: `orrery runs show ${given}` });
  const title = data ? `${data.project}/${data.name} ${given}` : text('backfill.title', { id: given });
  return (
    <Frame
      title={title}
      heading={
        data && (
          <span className={style.heading}>
            <StateBadge state={data.state} />
            <span>
              <Link to={workflowAddress(data.project, data.name)}>{`${data.project}/${data.name}`}</Link> ·{' '}
              {given}
            </span>
          </span>
        )
      }
      crumbs={[{ label: text('nav.backfills'), to: '/backfills' }, { label: given }]}
      actions={data && <Actions run={data} />}
    >
      {id === null && <EmptyState title={text('backfill.noSuch', { id: given })} />}
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!data && !error && id !== null && <SkeletonBlock height={280} />}
      {data && data.backfill === null && (
        <EmptyState title={text('backfill.isRun', { id: given })}>
          <Link to={runAddress(given)}>{text('backfills.asRun')}</Link>
        </EmptyState>
      )}
      {data?.backfill && <Progress run={data} backfill={data.backfill} />}
    </Frame>
  );
}

function Actions({ run }: { run: Run }) {
  const { text } = useLanguage();
  const [pause, resume, recover, stop] = [
    useControl(run.id, 'pause'),
    useControl(run.id, 'resume'),
    useControl(run.id, 'recover'),
    useControl(run.id, 'stop'),
  ];
  const of = (name: string) => run.actions.find((one) => one.name === name);
  const isPaused = of('resume')?.allowed === true;
  const toggle = isPaused ? resume : pause;
  const toggleAction = of(isPaused ? 'resume' : 'pause');
  const refused = (name: string) => (of(name)?.allowed === false ? of(name) : undefined);
  const retryWord = text('backfill.retry', { count: run.backfill?.failed ?? 0 });
  useKeys([
    {
      keys: 'p',
      label: text(isPaused ? 'run.resume' : 'run.pause'),
      refused: toggleAction?.allowed === false ? toggleAction : undefined,
      run: () => toggle.send({}),
    },
    { keys: 'R', label: retryWord, refused: refused('recover'), run: () => recover.send({}) },
  ]);
  return (
    <>
      <ActionButton
        action={toggleAction}
        label={text(isPaused ? 'run.resume' : 'run.pause')}
        keys="p"
        pending={toggle.pending}
        onRun={() => toggle.send({})}
      />
      <ActionButton
        action={of('recover')}
        label={retryWord}
        keys="R"
        pending={recover.pending}
        onRun={() => recover.send({})}
      />
      <ActionButton
        action={of('stop')}
        label={text('run.stop')}
        danger
        pending={stop.pending}
        onRun={() => stop.send({})}
      />
    </>
  );
}

function Progress({ run, backfill }: { run: Run; backfill: NonNullable<Run['backfill']> }) {
  const { text, locale, units } = useLanguage();
  const now = useNow();
  const { id } = run;
  const isOpen = run.endedAt === null;
  const { total, done, failed, open, parallel } = backfill;
  const [pages, setPages] = useState(1);
  // All of them are read again each time.
  const children = usePages('listRuns', { backfill: id, limit: PAGE }, isOpen ? EVERY * pages : undefined);
  const rows = useMemo(
    () =>
      (children.data?.pages ?? [])
        .flatMap(({ runs }) => runs)
        .filter(({ project, name }) => `${project}/${name}` === backfill.workflows[0])
        .toSorted((one, other) => one.businessTime.localeCompare(other.businessTime)),
    [children.data, backfill.workflows],
  );
  const left = Math.max(0, total - done - failed - open);
  const ended = done + failed;
  const spent = run.startedAt === null ? 0 : now - Date.parse(run.startedAt) - run.idle;
  const rest = isOpen && ended > 0 ? (spent / ended) * (total - ended) : null;
  return (
    <div className={style.body}>
      <progress className={style.bar} max={total} value={ended} aria-label={text('backfill.progress')} />
      <dl className={style.facts}>
        <Fact label={text('backfill.progress')}>{percent(total === 0 ? 1 : ended / total, locale)}</Fact>
        <Fact label={text('backfill.total')}>{exact(total, locale)}</Fact>
        <Fact label={text('state.success')}>{exact(done, locale)}</Fact>
        <Fact label={text('state.failed')}>
          {failed === 0 ? (
            '0'
          ) : (
            <Link to={runsAddress({ backfill: String(id), state: 'failed' })}>{exact(failed, locale)}</Link>
          )}
        </Fact>
        <Fact label={text('backfill.open')}>{text('backfill.openOf', { open, parallel })}</Fact>
        <Fact label={text('backfill.left')}>{exact(left, locale)}</Fact>
        {rest !== null && (
          <Fact label={text('backfill.ends')}>{text('time.in', { time: duration(rest, units) })}</Fact>
        )}
        <Fact label={text('backfill.onFailure')}>
          {text(backfill.onFailure === 'stop' ? 'backfill.stop' : 'backfill.continue')}
        </Fact>
        <Fact label={text('workflow.version')}>
          {backfill.version === null ? text('backfill.latestVersion') : `v${backfill.version}`}
        </Fact>
        {backfill.workflows.length > 1 && (
          <Fact label={text('backfill.downstream')}>{backfill.workflows.slice(1).join(' → ')}</Fact>
        )}
      </dl>
      {isOpen && <Parallel id={id} parallel={parallel} />}
      {children.error && !children.data && (
        <ErrorPanel error={children.error} retry={() => void children.refetch()} />
      )}
      {!children.data && !children.error && <SkeletonBlock height={120} />}
      {children.hasNextPage && (
        <p role="note">
          {text('backfill.newestRuns', { count: exact(rows.length, locale) })}{' '}
          <Button
            size="compact-xs"
            loading={children.isFetchingNextPage}
            onClick={() => {
              setPages(pages + 1);
              void children.fetchNextPage();
            }}
          >
            {text('backfill.earlier')}
          </Button>
        </p>
      )}
      {children.data && <Times rows={rows} left={left} />}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Parallel({ id, parallel }: { id: number; parallel: number }) {
  const { text } = useLanguage();
  const set = useAction('setRunParallel', ['showRun']);
  const send = (value: number) => {
    if (value === parallel || !Number.isInteger(value) || value < 1) return;
    set.mutate(
      { id, body: { parallel: value } },
      {
        onSuccess: () => notify(text('backfill.parallelSet', { count: value }), 'good'),
        onError: (error) => notify(error, 'bad'),
      },
    );
  };
  return (
    <NumberInput
      key={parallel}
      className={style.parallel}
      label={text('backfill.parallel')}
      defaultValue={parallel}
      min={1}
      max={10_000}
      onBlur={({ currentTarget }) => send(Number(currentTarget.value))}
      onKeyDown={({ key, currentTarget }) =>
        key === 'Enter' && send(Number((currentTarget as HTMLInputElement).value))
      }
    />
  );
}

/** A row for each month, with a square for each business time in its order. Many are folded, and then a row is a day. */
function Times({ rows, left }: { rows: readonly Child[]; left: number }) {
  const { text } = useLanguage();
  const months = [...Map.groupBy(rows, ({ businessTime }) => businessTime.slice(0, 7))];
  return (
    <section aria-label={text('backfill.calendar')}>
      <h2>{text('backfill.calendar')}</h2>
      {months.map(([month, runs]) =>
        rows.length > FOLDED ? (
          <FoldedMonth key={month} month={month} runs={runs} />
        ) : (
          <Squares key={month} title={month} runs={runs} />
        ),
      )}
      {left > 0 && <p className="dim">{text('backfill.toCome', { count: left })}</p>}
    </section>
  );
}

function FoldedMonth({ month, runs }: { month: string; runs: readonly Child[] }) {
  const { locale } = useLanguage();
  const word = useStateWord();
  const [isOpen, setOpen] = useState(false);
  const states = Map.groupBy(runs, ({ state }) => state);
  const days = Map.groupBy(runs, ({ businessTime }) => businessTime.slice(0, 10));
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={style.fold}>
        <strong>{month}</strong>
        {[...states].map(([state, of]) => (
          <span key={state}>
            <StateIcon state={state} size={12} /> {exact(of.length, locale)} {word(state)}
          </span>
        ))}
      </summary>
      {isOpen && [...days].map(([day, of]) => <Squares key={day} title={day} runs={of} />)}
    </details>
  );
}

function Squares({ title, runs }: { title: string; runs: readonly Child[] }) {
  const { text } = useLanguage();
  const word = useStateWord();
  return (
    <div className={style.month}>
      <h3>{title}</h3>
      <ul className={style.times}>
        {runs.map(({ id, state, businessTime }) => {
          const label = text('backfill.time', {
            at: businessTime.slice(0, 16).replace('T', ' '),
            id,
            state: word(state),
          });
          return (
            <li key={id}>
              <Link
                to={runAddress(id)}
                className={style.cell}
                data-family={lookOf(state).family}
                aria-label={label}
                data-hint={label}
              >
                <StateIcon state={state} size={12} />
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
