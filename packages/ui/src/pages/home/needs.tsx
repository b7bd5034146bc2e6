/** What needs someone, the most harmful first, each with what helps. Keys 1 to 9 open, R recovers, w asks why, m mutes. */
import { useRef, useState } from 'react';
import { useGo } from '../../app/link.tsx';
import { useText } from '../../i18n/text.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { NewPill } from '../../parts/list/new-pill.tsx';
import styles from './home.module.css';
import { MuteDialog } from './mute-dialog.tsx';
import { KEYS, type Need, refusalOf, runToExplain } from './need.ts';
import { NeedRow } from './need-row.tsx';
import { useCalmOrder } from './use-calm-order.ts';
import { useRecover } from './use-recover.ts';

interface NeedsProps {
  readonly needs: readonly Need[];
  /** Beyond those listed. */
  readonly more: number;
}

const idOf = ({ id }: Need) => id;

export function Needs({ needs, more }: NeedsProps) {
  const text = useText();
  const go = useGo();
  const recover = useRecover();
  const { rows, waiting, showNew, hold } = useCalmOrder(needs, idOf);
  const [muting, setMuting] = useState<Need | null>(null);
  const [explained, setExplained] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  /** The need that has the focus, else the first of those that fit. */
  const current = (fits: (need: Need) => boolean = () => true) => {
    const items = Array.from(list.current?.children ?? []);
    const at = items.findIndex((item) => item.contains(document.activeElement));
    return rows[at] && fits(rows[at]) ? rows[at] : rows.find(fits);
  };
  const explain = (need: Need) => setExplained((id) => (id === need.id ? null : need.id));
  const helped = rows.find(({ action }) => action !== null);
  const explainable = rows.some((need) => runToExplain(need) !== undefined);
  useKeys([
    ...rows.slice(0, KEYS).map((need, index) => ({
      keys: String(index + 1),
      label: text('home.key.open', { number: index + 1 }),
      onlyKey: true,
      run: () => go(need.address),
    })),
    ...(helped
      ? [
          {
            keys: 'R',
            label: text('home.key.recover'),
            refused: refusalOf(helped, 'recover'),
            run: () => recover.run(current(({ action }) => action !== null) ?? helped),
          },
        ]
      : []),
    ...(explainable
      ? [
          {
            keys: 'w',
            label: text('home.key.why'),
            run: () => {
              const need = current((each) => runToExplain(each) !== undefined);
              if (need) explain(need);
            },
          },
        ]
      : []),
    ...(rows.length > 0
      ? [
          {
            keys: 'm',
            label: text('home.key.mute'),
            refused: refusalOf(rows[0], 'mute'),
            run: () => setMuting(current() ?? null),
          },
        ]
      : []),
  ]);
  return (
    <>
      <section aria-label={text('home.needsLabel')} className={styles.needsSection} {...hold}>
        <div className={styles.newNeeds}>
          <NewPill count={waiting} onShow={showNew} />
        </div>
        <ol className={styles.needs} ref={list}>
          {rows.map((need, index) => (
            <NeedRow
              key={need.id}
              need={need}
              number={index + 1}
              explained={explained === need.id}
              recover={recover}
              onWhy={() => explain(need)}
              onMute={() => setMuting(need)}
            />
          ))}
        </ol>
        {more > 0 && <p className="dim">{text('home.more', { count: more })}</p>}
      </section>
      {muting && <MuteDialog need={muting} onClose={() => setMuting(null)} />}
    </>
  );
}
