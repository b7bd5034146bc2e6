/** An approval that waits: its question, the fields to fill in, and the two answers. */
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useAction, useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { fault, type Typed } from '../../model/run-form.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { notify } from '../../parts/notices.tsx';
import { Time } from '../../parts/time.tsx';
import { ParameterField } from '../workflows/parameter-field.tsx';
import style from './run.module.css';

export function ApprovalCard({ id }: { readonly id: string }) {
  const { text, sentence } = useLanguage();
  const { data: asked, error } = useApi('showApproval', { id });
  const [typed, setTyped] = useState<Typed>({});
  const [comment, setComment] = useState('');
  const answer = useAction('answerApproval', [
    'showApproval',
    'showTaskRun',
    'listApprovals',
    'showOverview',
  ]);
  if (error) return <ErrorPanel error={error} />;
  if (!asked?.waiting) return null;
  const fields = asked.fields.map(({ default: usual, options, description, ...field }) => ({
    ...field,
    default: usual ?? undefined,
    options: options ?? undefined,
    description: description ?? undefined,
  }));
  const filledIn = (field: (typeof fields)[number]) => typed[field.name] ?? field.default ?? '';
  const wrong = fields.some((field) => fault(field, filledIn(field)) !== null);
  const { refusal } = asked;
  const say = (said: 'yes' | 'no') => {
    const given = fields.filter((field) => filledIn(field) !== '' || field.default !== undefined);
    const values =
      said === 'yes' ? Object.fromEntries(given.map((field) => [field.name, filledIn(field)])) : {};
    answer.mutate(
      { id, body: { answer: said, values, comment } },
      { onSuccess: () => notify(text('approval.recorded'), 'good') },
    );
  };
  return (
    <section className={style.approval} aria-label={text('approval.title')}>
      <h3>{text('approval.title')}</h3>
      <p className={style.question}>{asked.message}</p>
      {asked.until !== null && (
        <p className="dim">
          {text('approval.until')} <Time at={asked.until} />
        </p>
      )}
      {fields.map((field) => (
        <ParameterField
          key={field.name}
          name={field.name}
          declared={field}
          value={filledIn(field)}
          touched={field.name in typed}
          onChange={(value) => setTyped((now) => ({ ...now, [field.name]: value }))}
        />
      ))}
      <Textarea
        label={text('approval.comment')}
        maxLength={1_000}
        rows={2}
        value={comment}
        onChange={({ currentTarget }) => setComment(currentTarget.value)}
      />
      {answer.error && <ErrorPanel error={answer.error} />}
      {refusal !== null && <p className="dim">{sentence(refusal, asked.said)}</p>}
      <div className={style.row}>
        <Button
          variant="filled"
          disabled={wrong || refusal !== null}
          loading={answer.isPending}
          onClick={() => say('yes')}
        >
          {text('approval.yes')}
        </Button>
        <Button disabled={refusal !== null} loading={answer.isPending} onClick={() => say('no')}>
          {text('approval.no')}
        </Button>
      </div>
    </section>
  );
}
