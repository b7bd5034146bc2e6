/** Messages to channels: those that were not delivered first, each with every try and answer. */
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useAction, useApi, usePages } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { notify } from '../../parts/notices.tsx';
import { Section } from '../../parts/section.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { About, AlertState, subjectName } from './shown.tsx';

/** No live topic tells of tries. */
const EVERY = 5_000;
const order = { failed: 0, waiting: 1, sent: 2 } as const;

const reasons = {
  new: 'alerts.why.new',
  more: 'alerts.why.more',
  repeat: 'alerts.why.repeat',
  escalate: 'alerts.why.escalate',
  resolve: 'alerts.why.resolve',
  test: 'alerts.why.test',
} as const;

export function Messages() {
  const text = useText();
  const failed = useApi('listDeliveries', { state: 'failed', limit: 100 }, { every: EVERY });
  const query = usePages('listDeliveries', { limit: 200 }, EVERY);
  const [shown, setShown] = useState<number | null>(null);
  const retry = useAction('retryDelivery', ['listDeliveries']);
  const all = [
    ...(failed.data?.deliveries ?? []),
    ...(query.data?.pages.flatMap((page) => page.deliveries) ?? []),
  ];
  const rows = [...new Map(all.map((one) => [one.id, one])).values()].sort(
    (a, b) => order[a.state] - order[b.state] || b.id - a.id,
  );
  return (
    <Section title={text('alerts.messages')} query={query}>
      {rows.length === 0 && (
        <EmptyState title={text('alerts.noMessages')} commands={['orrery channels test ops']} />
      )}
      {rows.length > 0 && (
        <Table
          label={text('alerts.messages')}
          rows={rows}
          more={query}
          keyOf={({ id }) => String(id)}
          wordsOf={({ channel, state, answer, about }) =>
            [channel, state, answer, about?.kind, about && subjectName(about)].join(' ')
          }
          columns={[
            { label: text('alerts.channel'), head: true, cell: ({ channel }) => channel },
            {
              label: text('alerts.about'),
              cell: ({ about, others }) => about && <About subject={about} others={others} />,
            },
            { label: text('alerts.kind'), cell: ({ about }) => about && <code>{about.kind}</code> },
            {
              label: text('schedules.state'),
              cell: ({ state, mayBeDoubled }) => (
                <>
                  <AlertState state={state} />
                  {mayBeDoubled && <div className="dim">{text('alerts.doubled')}</div>}
                </>
              ),
            },
            { label: text('alerts.why'), cell: ({ reason }) => text(reasons[reason]) },
            { label: text('alerts.written'), cell: ({ createdAt }) => <Time at={createdAt} /> },
            { label: text('alerts.answer'), cell: ({ answer }) => answer },
            {
              label: '',
              tight: true,
              cell: ({ id, state, tries }) => (
                <Group gap={4} wrap="nowrap">
                  <Button
                    size="compact-xs"
                    aria-label={`${text('alerts.triesCount', { tries })}: ${text('alerts.triesOf', { id })}`}
                    onClick={() => setShown(id)}
                  >
                    {text('alerts.triesCount', { tries })}
                  </Button>
                  {state === 'failed' && (
                    <Button
                      size="compact-xs"
                      aria-label={text('alerts.sendAgainOf', { id })}
                      onClick={() => retry.mutate({ id }, { onError: (error) => notify(error, 'bad') })}
                    >
                      {text('alerts.sendAgain')}
                    </Button>
                  )}
                </Group>
              ),
            },
          ]}
        />
      )}
      {shown !== null && <Tries id={shown} onClose={() => setShown(null)} />}
    </Section>
  );
}

function Tries({ id, onClose }: { id: number; onClose(): void }) {
  const text = useText();
  const query = useApi('showDelivery', { id }, { every: EVERY });
  return (
    <Dialog title={text('alerts.triesOf', { id })} size="lg" onClose={onClose}>
      <Section title={text('alerts.tries')} query={query}>
        <Table
          label={text('alerts.tries')}
          rows={query.data?.attempts ?? []}
          keyOf={({ number }) => String(number)}
          columns={[
            { label: '#', head: true, cell: ({ number }) => number },
            { label: text('alerts.written'), cell: ({ at }) => <Time at={at} /> },
            { label: text('alerts.node'), cell: ({ node }) => node },
            { label: text('alerts.answer'), cell: ({ state, answer }) => answer ?? state },
          ]}
        />
      </Section>
    </Dialog>
  );
}
