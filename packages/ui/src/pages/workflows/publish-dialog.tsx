/**
 * Publishes workflows that are typed, pasted, taken from the examples, or imported from a file; previews the
 * changes first. An import starts with the file, which is then shown as it would be published.
 */
import { Button, FileButton, Group, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { ApiProblem } from '@orrery/sdk/client';
import { useQuery } from '@tanstack/react-query';
import { queries, useAction } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel, InputProblems } from '../../parts/error-panel.tsx';
import { notify } from '../../parts/notices.tsx';
import { examples } from './examples.ts';
import { namedIn, useNewDraft } from './use-new-draft.ts';
import { type Source, useSource } from './use-source.ts';
import styles from './workflows.module.css';

const PAUSE = 400;

/** The shape of the least workflow. */
const placeholder =
  'name: hello\ntasks:\n  - name: greet\n    type: shell\n    with:\n      script: echo hello';

export function PublishDialog({ kind, onClose }: { kind: string; onClose: () => void }) {
  const text = useText();
  const {
    text: source,
    notes,
    set: setSource,
  } = useSource(examples.find(({ name }) => kind === `example-${name}`)?.text ?? '');
  const [checked] = useDebouncedValue(source, PAUSE);
  const check = useDryRun(checked);
  const publish = useAction('publishWorkflows', ['listWorkflows']);
  const draft = useNewDraft();
  const named = namedIn(source);
  const importing = kind === 'import';
  const waits = importing && source === '';
  const chooseFile = (props: object) => (
    <Button data-autofocus={waits || undefined} variant={waits ? 'filled' : 'default'} {...props}>
      {text('publish.file')}
    </Button>
  );
  const ready = checked === source && check.data !== undefined;
  return (
    <Dialog onClose={onClose} size="xl" title={text(importing ? 'publish.importTitle' : 'publish.title')}>
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          publish.mutate(
            { body: source, source: 'api' },
            {
              onSuccess: ({ workflows }) => {
                notify(text('publish.done', { names: workflows.map(({ name }) => name).join(', ') }), 'good');
                void queries.invalidateQueries({ queryKey: ['showOverview'] });
                onClose();
              },
            },
          );
        }}
      >
        {importing && <p className="dim">{text('publish.importHint')}</p>}
        {!waits && (
          <Textarea
            className={styles.source}
            label={text('publish.source')}
            data-autofocus
            rows={18}
            spellCheck={false}
            placeholder={placeholder}
            value={source}
            onChange={({ currentTarget }) => setSource(currentTarget.value)}
          />
        )}
        <div role="status">
          {notes.length > 0 && <Notes notes={notes} />}
          {check.data && <Effects workflows={check.data.workflows} />}
          {check.error instanceof ApiProblem && check.error.problems.length > 0 && (
            <InputProblems problems={check.error.problems} />
          )}
        </div>
        {check.error && !(check.error instanceof ApiProblem && check.error.problems.length > 0) && (
          <ErrorPanel error={check.error} />
        )}
        {(publish.error ?? draft.error) && <ErrorPanel error={publish.error ?? draft.error} />}
        <Group justify={importing ? 'space-between' : 'flex-end'} gap={8}>
          {importing && (
            <FileButton accept=".yaml,.yml,.json" onChange={(file) => void file?.text().then(setSource)}>
              {chooseFile}
            </FileButton>
          )}
          <Group gap={8}>
            <Button onClick={onClose}>{text('cancel')}</Button>
            {named && (
              <Button loading={draft.isPending} onClick={() => draft.make(named.project, named.name, source)}>
                {text('workflows.openEditor')}
              </Button>
            )}
            <Button type="submit" variant="filled" disabled={!ready} loading={publish.isPending}>
              {text('publish.publish')}
            </Button>
          </Group>
        </Group>
      </form>
    </Dialog>
  );
}

/** What publishing would change; asked when typing has paused. */
function useDryRun(source: string) {
  return useQuery({
    queryKey: ['dry run of publishing', source],
    enabled: source.trim() !== '',
    gcTime: 0,
    queryFn: () => call('publishWorkflows', { body: source, dryRun: true }),
  });
}

/** What an import could not carry over, or carries in another form. */
function Notes({ notes }: { notes: Source['notes'] }) {
  const text = useText();
  return (
    <details open>
      <summary>{text('publish.notes', { count: notes.length })}</summary>
      <ul className={styles.effects}>
        {notes.map(({ workflow, task, kind, message }) => (
          <li key={`${workflow} ${task} ${message}`}>
            {text(kind === 'changed' ? 'publish.changed' : 'publish.leftOut', {
              what: task === undefined ? workflow : `${workflow}.${task}`,
              message,
            })}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface Effect {
  readonly project: string;
  readonly name: string;
  readonly created: boolean;
  readonly changed: boolean;
  readonly diff: readonly { readonly path: string }[];
}

function Effects({ workflows }: { workflows: readonly Effect[] }) {
  const text = useText();
  return (
    <ul className={styles.effects}>
      {workflows.map(({ project, name, created, changed, diff }) => (
        <li key={`${project}/${name}`}>
          {created && text('publish.creates', { name: `${project}/${name}` })}
          {!created && changed && text('publish.changes', { name: `${project}/${name}`, count: diff.length })}
          {!created && !changed && text('publish.same', { name: `${project}/${name}` })}
        </li>
      ))}
    </ul>
  );
}
