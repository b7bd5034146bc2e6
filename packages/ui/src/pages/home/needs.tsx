/** What needs someone, the most harmful first, each with the one action that helps. Keys 1 to 9 open, m mutes. */
import { Button } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { Link, useGo } from '../../app/link.tsx';
import { useAction } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { Command } from '../../parts/copy.tsx';
import { KeySign } from '../../parts/key-sign.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './home.module.css';
import { MuteDialog } from './mute-dialog.tsx';
import { useNeedWords } from './need-words.ts';

export type Need = AnswerOf<'showOverview'>['needs'][number];

/** The state whose icon and colour stand for a kind of need. */
const looks: Readonly<Record<Need['kind'], string>> = {
  'no-master': 'lost',
  'no-worker': 'lost',
  failed: 'failed',
  deadline: 'late',
  overtime: 'late',
  'late-tick': 'late',
  'not-taken': 'waiting',
  'node-missing': 'lost',
  'limit-full': 'waiting',
  'skipped-ticks': 'skipped',
};

const calmer: ReadonlySet<Need['kind']> = new Set(['late-tick', 'not-taken', 'limit-full', 'skipped-ticks']);
const KEYS = 9;

interface NeedsProps {
  readonly needs: readonly Need[];
  /** Beyond those listed. */
  readonly more: number;
  readonly lastFailure: string | null;
}

export function Needs({ needs, more, lastFailure }: NeedsProps) {
  const text = useText();
  const go = useGo();
  const [muting, setMuting] = useState<Need | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const current = () => {
    const items = Array.from(list.current?.children ?? []);
    const at = items.findIndex((item) => item.contains(document.activeElement));
    return needs[Math.max(0, at)];
  };
  useKeys([
    ...needs.slice(0, KEYS).map((need, index) => ({
      keys: String(index + 1),
      label: text('home.key.open', { number: index + 1 }),
      onlyKey: true,
      run: () => go(need.address),
    })),
    ...(needs.length > 0
      ? [{ keys: 'm', label: text('home.key.mute'), run: () => setMuting(current()) }]
      : []),
  ]);
  if (needs.length === 0)
    return (
      <p className={styles.calm}>
        <IconCircleCheck size={16} aria-hidden="true" />
        {lastFailure === null ? text('home.noFailure') : text('home.lastFailure')}
        {lastFailure !== null && <Time at={lastFailure} focusable />}
      </p>
    );
  return (
    <section aria-label={text('home.needsLabel')}>
      <ol className={styles.needs} ref={list}>
        {needs.map((need, index) => (
          <NeedRow key={need.id} need={need} number={index + 1} onMute={() => setMuting(need)} />
        ))}
      </ol>
      {more > 0 && <p className="dim">{text('home.more', { count: more })}</p>}
      {muting && <MuteDialog need={muting} onClose={() => setMuting(null)} />}
    </section>
  );
}

function NeedRow({ need, number, onMute }: { need: Need; number: number; onMute: () => void }) {
  const text = useText();
  const go = useGo();
  const words = useNeedWords();
  const act = useAction('createBulk', ['showOverview', 'listWorkflows']);
  const { action } = need;
  const help = () => {
    if (!action) return;
    const body = { action: action.name as 'recover', ids: action.ids };
    act.mutate(
      { body },
      {
        onSuccess: ({ bulk }) =>
          bulk && notify(text('home.asked', { count: bulk.total, bulk: String(bulk.id) }), 'good'),
        onError: (error) => notify(error.message, 'bad'),
      },
    );
  };
  return (
    <li className={styles.need} data-family={calmer.has(need.kind) ? 'waiting' : 'failed'}>
      <StateIcon state={looks[need.kind]} />
      <span className={styles.needText}>
        <Link to={need.address}>{words(need)}</Link>
      </span>
      {need.since !== null && (
        <span className={styles.needSince}>
          <Time at={need.since} focusable />
        </span>
      )}
      {need.command !== null && !action && <Command line={need.command} />}
      <span className={styles.needActions}>
        <Button
          onClick={() => go(need.address)}
          rightSection={number <= KEYS && <KeySign keys={String(number)} />}
        >
          {text('home.openNeed')}
        </Button>
        {action && (
          <Button
            variant="filled"
            loading={act.isPending}
            onClick={help}
            data-hint={need.command ?? undefined}
          >
            {text(action.name === 'recover' ? 'home.recover' : 'home.act', {
              count: action.ids.length,
              action: action.name,
            })}
          </Button>
        )}
        <Button onClick={onMute} data-hint="m">
          {text('home.mute')}
        </Button>
      </span>
    </li>
  );
}
