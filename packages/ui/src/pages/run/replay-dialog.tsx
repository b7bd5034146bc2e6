/** Edit and replay: the parameters of a run to change, what would differ from it, and another run that names it. */
import { Button, Group, SegmentedControl, Select } from '@mantine/core';
import { Fragment, type ReactNode, useState } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { type Difference, differences, fault, replayLine, type Typed } from '../../model/run-form.ts';
import { Command } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { notify } from '../../parts/notices.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { versionText } from '../../parts/version-text.ts';
import { ParameterField } from '../workflows/parameter-field.tsx';
import { focusFirst } from '../workflows/run-dialog.tsx';
import { type StartChoices, StartFields } from '../workflows/start-fields.tsx';
import styles from '../workflows/workflows.module.css';
import style from './run.module.css';
import { replayParts, type replayVersions } from './run-search.ts';
import type { ShownRun } from './use-run.ts';
import { againWords } from './words.ts';

type Version = (typeof replayVersions)[number];
type Part = (typeof replayParts)[number];

interface ReplayDialogProps {
  readonly run: ShownRun;
  readonly version: Version;
  /** The task one looks at, and the part of the graph around it; without one, the part that the run had. */
  readonly task: string | undefined;
  readonly part: Part | undefined;
  onVersion(version: Version): void;
  onPart(part: Part | undefined): void;
  onClose(): void;
}

export function ReplayDialog(props: ReplayDialogProps) {
  const { run, version, task, onVersion, onPart, onClose } = props;
  const text = useText();
  const go = useGo();
  const { id, project, name } = run;
  const old = useApi('showWorkflow', { project, name, version: run.version });
  const live = useApi('showWorkflow', { project, name });
  const [typed, setTyped] = useState<Typed>(run.params);
  const [chosen, setChosen] = useState<StartChoices>({
    businessTime: '',
    priority: null,
    dryRun: run.dryRun,
    counts: false,
  });
  const replay = useAction('replayRun', ['showRun', 'listRuns', 'listWorkflows']);
  const used = (version === 'same' ? old : live).data;
  if (!old.data || !live.data || !used) {
    const away = old.error ? old : live;
    return (
      <ReplayFrame id={id} onClose={onClose}>
        {away.error ? (
          <ErrorPanel error={away.error} retry={() => void away.refetch()} />
        ) : (
          <SkeletonBlock height={160} />
        )}
      </ReplayFrame>
    );
  }
  const declared = used.workflow.params;
  const part = task === undefined ? undefined : props.part;
  const partText = (kind: string, tasks: readonly string[]) =>
    text(againWords[kind as keyof typeof againWords], { task: tasks.join(', ') });
  const scope = part && task !== undefined ? { kind: part, tasks: [task] } : undefined;
  const partial = scope !== undefined || run.scope.kind !== 'all';
  const names = Object.keys(declared);
  const shownIn = (key: string) => typed[key] ?? declared[key].default ?? '';
  const changed = Object.entries(typed).filter(
    ([key, value]) => Object.hasOwn(declared, key) && run.params[key] !== value,
  );
  const choices = {
    version,
    params: Object.fromEntries(changed),
    ...(chosen.businessTime !== '' && { businessTime: chosen.businessTime }),
    ...(chosen.priority !== null && { priority: chosen.priority }),
    ...(chosen.dryRun !== run.dryRun && { dryRun: chosen.dryRun }),
    ...(scope && { scope }),
    ...(chosen.counts && (chosen.dryRun || partial) && { counts: true as const }),
  };
  const differing = [
    ...differences({ declared: old.data.workflow.params, params: run.params }, { declared, params: typed }),
    ...different(text('replay.version'), `v${run.version}`, `v${used.version}`),
    ...different(
      text('replay.part'),
      partText(run.scope.kind, run.scope.tasks),
      scope ? partText(scope.kind, scope.tasks) : partText(run.scope.kind, run.scope.tasks),
    ),
    ...different(text('start.businessTime'), run.businessTime, chosen.businessTime || run.businessTime),
    ...different(text('start.priority'), run.priority, chosen.priority ?? run.priority),
    ...different(text('start.dry'), String(run.dryRun), String(chosen.dryRun)),
  ];
  const wrong = names.some((key) => fault(declared[key], shownIn(key)) !== null);
  const submit = () =>
    replay.mutate(
      { id, body: { ...choices, trigger: 'manual' } },
      {
        onSuccess: (started) => {
          notify(text('start.started', { id: started.id }), 'good');
          go(runAddress(started.id));
        },
      },
    );
  return (
    <ReplayFrame id={id} onClose={onClose}>
      <form
        ref={focusFirst}
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {live.data.version !== run.version && (
          <SegmentedControl
            aria-label={text('replay.version')}
            value={version}
            onChange={(next) => onVersion(next as Version)}
            data={[
              { value: 'same', label: text('replay.same', { version: versionText(text, run.version) }) },
              { value: 'latest', label: text('replay.latest', { version: live.data.version }) },
            ]}
          />
        )}
        {task !== undefined && (
          <Select
            size="xs"
            label={text('replay.part')}
            clearable
            placeholder={partText(run.scope.kind, run.scope.tasks)}
            data={replayParts.map((value) => ({ value, label: partText(value, [task]) }))}
            value={part ?? null}
            onChange={(next) => onPart((next as Part | null) ?? undefined)}
          />
        )}
        {names.length === 0 && <p className="dim">{text('start.noParameters')}</p>}
        {names.map((key) => (
          <ParameterField
            key={key}
            name={key}
            declared={declared[key]}
            value={shownIn(key)}
            touched
            onChange={(value) => setTyped((now) => ({ ...now, [key]: value }))}
          />
        ))}
        <StartFields
          partial={partial}
          chosen={chosen}
          otherwise={{ businessTime: run.businessTime, priority: run.priority }}
          onChange={(change) => setChosen((now) => ({ ...now, ...change }))}
        />
        <Differences run={id} list={differing} />
        <Command line={replayLine(id, choices)} />
        {replay.error && <ErrorPanel error={replay.error} />}
        <Group justify="flex-end" gap={8}>
          <Button onClick={onClose}>{text('cancel')}</Button>
          <Button type="submit" variant="filled" loading={replay.isPending} disabled={wrong}>
            {text(chosen.dryRun ? 'start.startDry' : 'start.start')}
          </Button>
        </Group>
      </form>
    </ReplayFrame>
  );
}

function ReplayFrame(props: { id: number; onClose: () => void; children: ReactNode }) {
  const text = useText();
  return (
    <Dialog onClose={props.onClose} size="lg" title={text('replay.title', { id: props.id })}>
      {props.children}
    </Dialog>
  );
}

/** What the new run would have that the old one had not. */
function Differences({ run, list }: { run: number; list: readonly Difference[] }) {
  const text = useText();
  const label = text('replay.differs', { id: run });
  if (list.length === 0) return <p className="dim">{text('replay.nothing', { id: run })}</p>;
  return (
    <section aria-label={label} className={style.section}>
      <h3>{label}</h3>
      <dl className={style.facts}>
        {list.map(({ name, before, after }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <del className="dim">{before ?? text('replay.none')}</del>{' '}
              <ins>{after ?? text('replay.none')}</ins>
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

function different(name: string, before: string, after: string): Difference[] {
  return before === after ? [] : [{ name, before, after }];
}
