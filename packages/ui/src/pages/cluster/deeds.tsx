/** The actions on a node: drain, undrain, forget. Each first shows its effects. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useGo } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Command } from '../../parts/copy.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { notify } from '../../parts/notices.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';

type Nodes = AnswerOf<'listNodes'>;
type Node = Nodes['masters'][number] | Nodes['workers'][number];

const deedWords = {
  drain: 'cluster.drain',
  undrain: 'cluster.undrain',
  forget: 'cluster.forget',
} as const;

type Deed = keyof typeof deedWords;

/** The button for what suits the state of a node. */
export function Deeds({ node: { id, state, ...node } }: { node: Node }) {
  const text = useText();
  const [isAsked, setAsked] = useState(false);
  const deed: Deed = state === 'draining' ? 'undrain' : state === 'gone' ? 'forget' : 'drain';
  return (
    <>
      <Button
        size="compact-xs"
        aria-label={text('cluster.deedOf', { deed: text(deedWords[deed]), node: id })}
        onClick={() => setAsked(true)}
      >
        {text(deedWords[deed])}
      </Button>
      {isAsked && (
        <Question deed={deed} node={id} isWorker={'slots' in node} onClose={() => setAsked(false)} />
      )}
    </>
  );
}

interface QuestionProps {
  readonly deed: Deed;
  readonly node: string;
  readonly isWorker: boolean;
  onClose(): void;
}

/** Shows the effects first. An unsafe action is refused with its figures. */
function Question({ deed, node, isWorker, onClose }: QuestionProps) {
  const text = useText();
  const go = useGo();
  const would = useApi('drainNode', deed === 'drain' ? { node, body: { dryRun: true } } : null);
  const drain = useAction('drainNode', ['listNodes']);
  const undrain = useAction('undrainNode', ['listNodes']);
  const forget = useAction('forgetNode', ['listNodes']);
  const pending = drain.isPending || undrain.isPending || forget.isPending;
  const after = {
    onSuccess: () => {
      notify(text('cluster.done', { deed: text(deedWords[deed]), node }), 'good');
      onClose();
      if (deed === 'forget') go('/cluster');
    },
    onError: (error: Error) => notify(error, 'bad'),
  };
  const confirm = () => {
    if (deed === 'drain') drain.mutate({ node, body: {} }, after);
    else if (deed === 'undrain') undrain.mutate({ node }, after);
    else forget.mutate({ node, body: {} }, after);
  };
  return (
    <Confirm
      title={text('cluster.deedOf', { deed: text(deedWords[deed]), node })}
      deed={text(deedWords[deed])}
      pending={pending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {deed === 'drain' && would.error && <ErrorPanel error={would.error} />}
      {deed === 'drain' && !would.data && !would.error && <SkeletonBlock height={40} />}
      {would.data && (
        <p>
          {text('cluster.would', { runs: would.data.runs, attempts: would.data.attempts })} {would.data.sum}
        </p>
      )}
      {deed !== 'drain' && <p>{text(deed === 'undrain' ? 'cluster.undrainNote' : 'cluster.forgetNote')}</p>}
      <Command line={`orrery nodes ${deed} ${node}`} />
      {deed === 'forget' && isWorker && (
        <>
          <p className="dim">{text('cluster.cleanNote')}</p>
          <Command line={`orrery worker clean --name ${node}`} />
        </>
      )}
    </Confirm>
  );
}
