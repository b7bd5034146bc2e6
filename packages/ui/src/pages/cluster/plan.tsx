/**
 * Who fires which schedules: a plan with its moves, earlier plans, claims, and the effects of another plan.
 */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { nodeAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { numberField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useAction, useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { duration } from '../../model/time.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Form, FormDialog } from '../../parts/form.tsx';
import { Meter } from '../../parts/meter.tsx';
import { notify } from '../../parts/notices.tsx';
import { Section } from '../../parts/section.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './cluster.module.css';
import { EVERY, modeWords } from './nodes.tsx';

type Plan = AnswerOf<'showPlan'>;
type Part = NonNullable<Plan['parts']>[number];

const fields = { number: numberField(1, 999_999_999_999_999) };

/** What masters that claim are called among the nodes. */
const claimantStates = { working: 'alive', drained: 'draining', dead: 'gone' } as const;

/** A part below this share of all has no room for a name. */
const NARROW = 0.06;

export function PlanSection() {
  const text = useText();
  const [{ number }] = useSearch(fields);
  const plans = useApi('listPlans', { limit: 20 }, { every: EVERY });
  const { data: cluster } = useApi('showCluster', {}, { every: EVERY });
  const newest = plans.data?.plans[0]?.number;
  // While masters claim, the last plan is not in force.
  const chosen = number ?? (cluster?.mode === 'scope' ? newest : undefined);
  return (
    <>
      {plans.data && newest === undefined && (
        <EmptyState title={text('cluster.noPlan')}>
          <p>{text('cluster.noPlanNote')}</p>
        </EmptyState>
      )}
      {chosen !== undefined && <OnePlan number={chosen} />}
      {plans.data && plans.data.plans.length > 0 && (
        <Section title={text('cluster.otherPlans')}>
          <p className={styles.numbers}>
            {plans.data.plans.map((one) => (
              <Link
                key={one.number}
                to={`/cluster/plan?number=${one.number}`}
                aria-current={one.number === chosen ? 'page' : undefined}
              >
                {one.number === chosen ? <b>{one.number}</b> : one.number}
              </Link>
            ))}
          </p>
        </Section>
      )}
      <Ownership />
      <WhatIf />
    </>
  );
}

function OnePlan({ number }: { number: number }) {
  const { text, sentence, units } = useLanguage();
  const query = useApi('showPlan', { number }, { every: EVERY, keep: true });
  const { data: plan } = query;
  return (
    <Section title={text('cluster.planTitle', { number })} query={query}>
      {plan && (
        <>
          <p>
            {plan.leader} · <Time at={plan.writtenAt} /> · {sentence(plan.reason)} ·{' '}
            {text('cluster.moved', { moved: plan.moved, schedules: plan.schedules })} ·{' '}
            {plan.adoptedAt === null
              ? text('cluster.notAdopted')
              : text('cluster.adopted', {
                  took: duration(Date.parse(plan.adoptedAt) - Date.parse(plan.writtenAt), units),
                })}
          </p>
          {plan.parts === null && <p className="dim">{text('cluster.noParts')}</p>}
          {plan.parts !== null && <Parts parts={plan.parts} />}
        </>
      )}
    </Section>
  );
}

function Parts({ parts }: { parts: readonly Part[] }) {
  const text = useText();
  const total = parts.reduce((sum, { schedules }) => sum + schedules, 0);
  const masters = [...new Set(parts.map(({ master }) => master))];
  const nobody = text('cluster.nobody');
  const words = ({ master, before, schedules, from, to }: Part) =>
    text(before === master ? 'cluster.part' : 'cluster.partMoved', {
      master: master ?? nobody,
      before: before ?? nobody,
      schedules,
      from: from ?? text('cluster.first'),
      to: to ?? text('cluster.last'),
    });
  return (
    <>
      <div className={styles.bar} role="img" aria-label={text('cluster.bar')}>
        {parts.map((part) => (
          <span
            key={part.to ?? 'last'}
            className={styles.part}
            style={{ flexGrow: part.schedules }}
            data-odd={masters.indexOf(part.master) % 2 === 1 || undefined}
            data-moved={part.before !== part.master || undefined}
            data-narrow={part.schedules < total * NARROW || undefined}
            data-hint={words(part)}
          >
            {part.schedules >= total * NARROW && (part.master ?? nobody)}
          </span>
        ))}
      </div>
      <Table
        label={text('cluster.bar')}
        rows={parts}
        keyOf={({ to }) => to ?? 'last'}
        columns={[
          { label: text('cluster.master'), head: true, cell: ({ master }) => <Name of={master} /> },
          {
            label: text('cluster.ids'),
            cell: ({ from, to }) => `${from ?? text('cluster.first')} – ${to ?? text('cluster.last')}`,
          },
          { label: text('cluster.schedules'), end: true, cell: ({ schedules }) => schedules },
          {
            label: text('cluster.before'),
            cell: ({ before, master }) => before !== master && <Name of={before} />,
          },
        ]}
      />
    </>
  );
}

function Name({ of }: { of: string | null }) {
  const text = useText();
  return of === null ? text('cluster.nobody') : <Link to={nodeAddress(of)}>{of}</Link>;
}

/** The mode of the cluster, and in claim mode what each master holds and may hold. */
function Ownership() {
  const { text, sentence } = useLanguage();
  const query = useApi('showOwnership', {}, { every: EVERY });
  const claim = useAction('claimNow', ['showOwnership']);
  const [isAsked, setAsked] = useState(false);
  const { data } = query;
  const isClaim = data?.settings.mode === 'claim';
  const claimNow = () =>
    claim.mutate(
      {},
      {
        onSuccess: (answer) => notify(text('cluster.claimed', answer), 'good'),
        onError: (error) => notify(error, 'bad'),
      },
    );
  const actions: ReactNode = data && (
    <>
      <Button onClick={() => setAsked(true)}>{text('cluster.setOwnership')}</Button>
      {isClaim && (
        <Button loading={claim.isPending} onClick={claimNow}>
          {text('cluster.claimNow')}
        </Button>
      )}
    </>
  );
  return (
    <Section title={text('cluster.ownership')} query={query} actions={actions}>
      {data && (
        <p>
          {text(modeWords[data.settings.mode])} ·{' '}
          {text('cluster.free', { schedules: data.schedules, free: isClaim ? data.free : 0 })}
        </p>
      )}
      {isClaim &&
        data.warnings.map((warning) => (
          <p key={warning} role="alert">
            {sentence(warning)}
          </p>
        ))}
      {isClaim && (
        <Table
          label={text('cluster.ownership')}
          rows={data.masters}
          keyOf={({ id }) => id}
          columns={[
            { label: text('cluster.master'), head: true, cell: ({ id }) => <Name of={id} /> },
            {
              label: text('schedules.state'),
              cell: ({ state }) => <StateBadge state={claimantStates[state]} />,
            },
            {
              label: text('cluster.held'),
              cell: ({ held, limit }) => (
                <Meter held={held} slots={limit} said={text('cluster.share', { held, limit })} />
              ),
            },
            { label: text('cluster.alarmAbove'), end: true, cell: ({ alarmAbove }) => alarmAbove },
            { label: text('cluster.tolerance'), end: true, cell: ({ tolerance }) => tolerance },
            { label: text('cluster.weight'), end: true, cell: ({ weight }) => weight },
          ]}
        />
      )}
      {isAsked && data && <SetOwnership now={data} onClose={() => setAsked(false)} />}
    </Section>
  );
}

function SetOwnership({ now, onClose }: { now: AnswerOf<'showOwnership'>; onClose(): void }) {
  const text = useText();
  const { settings, revision } = now;
  const [values, setValues] = useState({
    mode: settings.mode as string,
    tolerance: String(settings.tolerance),
    alarmAbove: String(settings.alarmAbove),
  });
  const set = useAction('setOwnership', ['showOwnership', 'showCluster']);
  const { mode, tolerance, alarmAbove } = values;
  const body = {
    ...settings,
    mode: mode === 'claim' ? ('claim' as const) : ('scope' as const),
    tolerance: Number(tolerance),
    alarmAbove: Number(alarmAbove),
  };
  return (
    <FormDialog
      title={text('cluster.setOwnership')}
      fields={[
        {
          name: 'mode',
          label: text('cluster.modeField'),
          kind: 'select',
          options: ['scope', 'claim'],
          hint: text('cluster.modeHint'),
        },
        { name: 'tolerance', label: text('cluster.toleranceField'), kind: 'number', required: true },
        { name: 'alarmAbove', label: text('cluster.alarmField'), kind: 'number', required: true },
      ]}
      values={values}
      onChange={(change) => setValues((before) => ({ ...before, ...change }))}
      command={`orrery ownership set --mode ${mode} --tolerance ${tolerance} --alarm-above ${alarmAbove}`}
      error={set.error}
      pending={set.isPending}
      deed={text('cluster.setOwnership')}
      onSubmit={() => set.mutate({ ifMatch: `"${revision}"`, body }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

/** What a plan for other masters would give each of them. */
function WhatIf() {
  const text = useText();
  const { data: cluster } = useApi('showCluster', {});
  const { data: ownership } = useApi('showOwnership', {});
  const preview = useAction('previewPlan', []);
  const [typed, setTyped] = useState<{ masters?: string; strategy?: string }>({});
  if (!cluster || !ownership) return null;
  const alive = cluster.masters.filter(({ state }) => state === 'alive').map(({ id }) => id);
  const { masters = alive.join('\n'), strategy = cluster.plan?.strategy ?? 'range' } = typed;
  const nodes = masters.split(/\s+/).filter((name) => name !== '');
  const total = ownership.schedules;
  return (
    <Section title={text('cluster.whatIf')}>
      <Form
        fields={[
          { name: 'masters', label: text('cluster.whatIfMasters'), kind: 'lines', required: true },
          {
            name: 'strategy',
            label: text('cluster.whatIfStrategy'),
            kind: 'select',
            options: ['range', 'balanced', 'weighted'],
          },
        ]}
        values={{ masters, strategy }}
        onChange={(change) => setTyped((before) => ({ ...before, ...change }))}
        command={`orrery preview plan --strategy ${strategy} --total ${total} --nodes ${nodes.join(',')}`}
        error={preview.error}
        pending={preview.isPending}
        deed={text('cluster.compute')}
        onSubmit={() => preview.mutate({ body: { total, nodes, strategy } })}
      />
      {preview.data && (
        <Table
          label={text('cluster.whatIf')}
          rows={Object.entries(preview.data.nodes)}
          keyOf={([name]) => name}
          columns={[
            { label: text('cluster.master'), head: true, cell: ([name]) => name },
            {
              label: text('cluster.ranks'),
              cell: ([, ranks]) => (ranks ? `${ranks[0]} – ${ranks[1]}` : text('cluster.nothing')),
            },
            {
              label: text('cluster.schedules'),
              end: true,
              cell: ([, ranks]) => (ranks ? ranks[1] - ranks[0] + 1 : 0),
            },
          ]}
        />
      )}
    </Section>
  );
}
