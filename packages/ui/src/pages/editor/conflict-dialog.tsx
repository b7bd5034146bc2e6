/** Two people changed one draft: keep theirs, mine, or a merge. Every choice can be undone in the text. */
import { Button, Group } from '@mantine/core';
import { useMemo } from 'react';
import { useLanguage } from '../../i18n/text.tsx';
import { mergeLines } from '../../model/merge-lines.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextDiff } from '../workflow/version-diff.tsx';
import type { ServerDraft } from './draft-keeper.ts';
import style from './editor.module.css';

interface ConflictDialogProps {
  /** The text that both began from. */
  readonly base: string;
  readonly mine: string;
  /** Null: the draft is gone, published or deleted. */
  readonly theirs: ServerDraft | null;
  onResolve(text: string): void;
  onClose(): void;
}

export function ConflictDialog({ base, mine, theirs, onResolve, onClose }: ConflictDialogProps) {
  const { text } = useLanguage();
  const merged = useMemo(
    () => theirs && mergeLines(base, mine, theirs.text, { mine: text('editor.mine'), theirs: theirs.author }),
    [base, mine, theirs, text],
  );
  return (
    <Dialog title={text(theirs ? 'editor.conflict' : 'editor.gone')} size="xl" onClose={onClose}>
      <p>{theirs ? text('editor.conflictWords', { author: theirs.author }) : text('editor.goneWords')}</p>
      {theirs && (
        <div className={style.diff}>
          <TextDiff texts={{ from: theirs.text, to: mine }} unified task={undefined} />
        </div>
      )}
      <Group justify="flex-end" gap={8} mt={12}>
        {theirs && <Button onClick={() => onResolve(theirs.text)}>{text('editor.takeTheirs')}</Button>}
        <Button onClick={() => onResolve(mine)} variant={theirs ? 'default' : 'filled'}>
          {text(theirs ? 'editor.keepMine' : 'editor.saveAgain')}
        </Button>
        {merged && (
          <Button variant="filled" data-autofocus onClick={() => onResolve(merged.text)}>
            {text('editor.mergeBoth', { conflicts: merged.conflicts })}
          </Button>
        )}
      </Group>
    </Dialog>
  );
}
