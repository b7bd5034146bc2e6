/**
 * The preview of a change to many runs: a dry run on the server shows what is allowed, and what is refused
 * for which reason. Once started, the bulk has an address of its own and is shown beside the list.
 */
import { Button, Group, SegmentedControl, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction, useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { count } from '../../model/number.ts';
import { type RunsFilter, tagsOfText } from '../../model/runs.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { type BulkAction, bulkWords } from './bulk-words.ts';
import style from './runs.module.css';

/** Chosen runs, or all that a filter matches. */
export type BulkChoice = { readonly ids: readonly number[] } | { readonly filter: RunsFilter };

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly choice: BulkChoice;
  onMade(bulk: number): void;
  onClose(): void;
}

export function BulkDialog({ action: asking, choice, onMade, onClose }: BulkDialogProps) {
  const { text, locale, sentence } = useLanguage();
  const [reason, setReason] = useState('');
  const [action, setAction] = useState(asking);
  const [typed, setTyped] = useState('');
  const tags = action === 'tag' || action === 'untag' ? tagsOfText(typed) : undefined;
  const asked = 'ids' in choice ? { ids: [...choice.ids] } : { filter: choice.filter as object };
  const dry = useApi('createBulk', { body: { action, ...asked, dryRun: true } });
  const make = useAction('createBulk', ['listBulks']);
  // An answer of a while ago is none.
  const would = dry.isFetching ? undefined : dry.data?.would;
  const refused = would ? would.total - would.allowed : 0;
  const word = text(bulkWords[action]);
  const title =
    'ids' in choice
      ? text('runs.bulk.title', { action: word, count: choice.ids.length })
      : text('runs.bulk.titleAll', { action: word });
  const nothing = !would || (would.allowed === 0 && !would.more);
  const ready = !nothing && tags?.length !== 0;
  const start = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || make.isPending) return;
    make.mutate(
      { body: { action, tags, ...asked, ...(reason.trim() !== '' && { reason: reason.trim() }) } },
      { onSuccess: ({ bulk }) => bulk && onMade(bulk.id) },
    );
  };
  const error = make.error ?? dry.error;
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <p role="status">
        {!would
          ? !dry.error && text('runs.bulk.looking')
          : would.more
            ? text('runs.bulk.verdictMore', {
                total: count(would.total, locale),
                allowed: would.allowed,
                refused,
              })
            : text('runs.bulk.verdict', { allowed: would.allowed, refused })}
      </p>
      {error && <ErrorPanel error={error} retry={dry.error ? () => void dry.refetch() : undefined} />}
      {would && would.refusals.length > 0 && (
        <ul className={style.reasons}>
          {would.refusals.map((each) => (
            <li key={each.reason}>
              {text('runs.bulk.refusedBy', {
                count: count(each.count, locale),
                reason: sentence(each.reason, each),
              })}
            </li>
          ))}
        </ul>
      )}
      {would && nothing && <p className="dim">{text('runs.bulk.nothing')}</p>}
      <form onSubmit={start}>
        {tags && (
          <>
            <SegmentedControl
              size="xs"
              mt={12}
              aria-label={text('runs.bulk.tagging')}
              value={action}
              data={(['tag', 'untag'] as const).map((value) => ({ value, label: text(bulkWords[value]) }))}
              onChange={(next) => setAction(next as BulkAction)}
            />
            <TextInput
              mt={12}
              label={text('run.tags')}
              description={text('run.tagsHow')}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              data-autofocus
            />
          </>
        )}
        <TextInput
          mt={12}
          label={text('runs.bulk.reason')}
          value={reason}
          maxLength={1_000}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus={!tags || undefined}
        />
        <Group justify="flex-end" mt={16} gap={8}>
          <Button onClick={onClose}>{text('cancel')}</Button>
          <Button
            type="submit"
            variant="filled"
            color={action === 'stop' ? 'red' : undefined}
            loading={make.isPending}
            disabled={!ready}
          >
            {word}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
