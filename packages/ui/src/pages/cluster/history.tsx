/** What happened to masters, workers and plans, newest first: of the whole cluster, or of one node. */
import { nodeAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { usePages } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import type { Key } from '../../i18n/en.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { duration } from '../../model/time.ts';
import { Section } from '../../parts/section.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type Event = AnswerOf<'listClusterEvents'>['events'][number];

const eventWords = {
  plan: 'cluster.what.plan',
  joined: 'cluster.what.joined',
  left: 'cluster.what.left',
  fenced: 'cluster.what.fenced',
  lost: 'cluster.what.lost',
  drain: 'cluster.what.drain',
  undrain: 'cluster.what.undrain',
  forget: 'cluster.what.forget',
  unhealthy: 'cluster.what.unhealthy',
  healthy: 'cluster.what.healthy',
} as const satisfies Record<Event['what'], Key>;

/** Nodes come and go rarely. */
const EVERY = 5_000;

export function History({ node }: { node?: string }) {
  const text = useText();
  const query = usePages('listClusterEvents', node === undefined ? {} : { node }, EVERY);
  const events = query.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <Section title={text('cluster.history')} query={query}>
      {events.length === 0 && <p className="dim">{text('cluster.noEvents')}</p>}
      {events.length > 0 && (
        <Table
          label={text('cluster.history')}
          rows={events}
          more={query}
          wordsOf={({ node: of, by, what }) => `${of} ${by ?? ''} ${text(eventWords[what])}`}
          keyOf={({ at, kind, what, node: of, epoch, plan }) =>
            `${at} ${kind} ${what} ${of} ${epoch ?? plan}`
          }
          columns={[
            { label: text('cluster.at'), cell: ({ at }) => <Time at={at} /> },
            {
              label: text('cluster.node'),
              head: true,
              cell: ({ node: of }) => <Link to={nodeAddress(of)}>{of}</Link>,
            },
            {
              label: text('cluster.event'),
              cell: ({ what, plan }) =>
                plan === null ? (
                  text(eventWords[what])
                ) : (
                  <Link to={`/cluster/plan?number=${plan}`}>{text('cluster.planNow', { number: plan })}</Link>
                ),
            },
            { label: text('cluster.by'), cell: ({ by }) => by },
            { label: text('cluster.detail'), cell: (event) => <Detail event={event} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Detail({ event: { epoch, runs, schedules, attempts, took, reason } }: { event: Event }) {
  const { text, sentence, units } = useLanguage();
  return [
    reason && sentence(reason),
    epoch && text('cluster.d.epoch', { epoch }),
    runs && text('cluster.d.runs', { runs }),
    schedules && text('cluster.d.schedules', { schedules }),
    attempts && text('cluster.d.attempts', { attempts }),
    took !== null && text('cluster.d.took', { took: duration(took, units) }),
  ]
    .filter(Boolean)
    .join(' · ');
}
