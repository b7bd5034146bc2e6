/** The head of the editor: where the text is kept, one step back and forward, and what can be done with the draft. */
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { useLanguage } from '../../i18n/text.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Time } from '../../parts/time.tsx';
import type { DraftKeeper } from './draft-keeper.ts';
import type { TextHandle } from './text-view.tsx';

interface HeadActionsProps {
  readonly steps: { readonly undo: number; readonly redo: number };
  readonly handle: RefObject<TextHandle | null>;
  /** Why the draft can be neither tested nor published. */
  readonly cannotPublish: string | undefined;
  readonly onDiscard: (() => void) | undefined;
  onOpen(dialog: 'publish' | 'test'): void;
}

export function HeadActions({ steps, handle, cannotPublish, onDiscard, onOpen }: HeadActionsProps) {
  const { text } = useLanguage();
  const refused = (name: string) =>
    cannotPublish === undefined ? undefined : { name, allowed: false, reason: cannotPublish };
  return (
    <>
      <ActionIcon
        variant="subtle"
        aria-label={text('editor.undo')}
        data-hint={text('editor.undo')}
        disabled={steps.undo === 0}
        onClick={() => handle.current?.undo()}
      >
        <IconArrowBackUp size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        aria-label={text('editor.redo')}
        data-hint={text('editor.redo')}
        disabled={steps.redo === 0}
        onClick={() => handle.current?.redo()}
      >
        <IconArrowForwardUp size={16} />
      </ActionIcon>
      {onDiscard && <Button onClick={onDiscard}>{text('editor.discard')}</Button>}
      <ActionButton
        action={refused('test')}
        label={text('editor.test')}
        keys="t"
        onRun={() => onOpen('test')}
      />
      <ActionButton
        action={refused('publish')}
        label={text('editor.publish')}
        keys="mod+enter"
        primary
        onRun={() => onOpen('publish')}
      />
    </>
  );
}

interface StatusProps {
  readonly keeper: DraftKeeper;
  readonly live: number | null;
  readonly mayEdit: boolean;
  readonly isDraft: boolean;
}

/** Where the text is: on which version it is based, and whether it is kept. */
export function Status({ keeper: { state, base }, live, mayEdit, isDraft }: StatusProps) {
  const { text } = useLanguage();
  const on =
    !isDraft && live !== null
      ? text('workflow.live', { version: live })
      : base === null
        ? text('editor.draftNew')
        : text('editor.draftOn', { base });
  if (!mayEdit) return on;
  return (
    <span role="status">
      {on} ·{' '}
      {state.kind === 'saved' && state.at !== null ? (
        <>
          {text('editor.saved')} <Time at={state.at} />
        </>
      ) : (
        text(stateWords[state.kind])
      )}
    </span>
  );
}

const stateWords = {
  saved: 'editor.upToDate',
  changed: 'editor.changed',
  saving: 'editor.saving',
  away: 'editor.away',
  refused: 'editor.notSaved',
  conflict: 'editor.notSaved',
} as const;
