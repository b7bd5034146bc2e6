/** What went wrong, in the panel where it did; everything else on the page goes on. */
import { Button } from '@mantine/core';
import { ApiProblem } from '@orrery/sdk';
import { useLanguage, useText } from '../i18n/text.tsx';
import { Command, Id } from './copy.tsx';
import styles from './parts.module.css';

/** Shows an error with a way out of it: try again, ask for a role, look at the server. */
export function ErrorPanel({ error, retry }: { error: unknown; retry?: () => void }) {
  const { text, title } = useLanguage();
  const problem = error instanceof ApiProblem ? error : undefined;
  return (
    <div className={styles.panel} role="alert" data-tone={problem ? 'problem' : 'away'}>
      <strong>{problem ? title(problem) : text('error.away')}</strong>
      {problem ? <Problem problem={problem} /> : <Away error={error} />}
      <div className={styles.panelFoot}>
        {retry && <Button onClick={retry}>{text('error.retry')}</Button>}
        {problem && (
          <span className="dim">
            {text('error.request')} <Id id={problem.requestId} />
          </span>
        )}
      </div>
    </div>
  );
}

function Problem({ problem }: { problem: ApiProblem }) {
  const { text, sentence } = useLanguage();
  return (
    <>
      <p>{sentence(problem.detail, problem)}</p>
      {problem.status === 403 && <p className="dim">{text('error.notAllowed')}</p>}
      <InputProblems problems={problem.problems} />
    </>
  );
}

/** Everything that is wrong with what was sent, with its place. */
export function InputProblems({ problems }: { problems: ApiProblem['problems'] }) {
  const { text, sentence } = useLanguage();
  if (problems.length === 0) return null;
  return (
    <ul>
      {problems.map(({ path, message, said, line, column }) => (
        <li key={`${path.join('.')} ${line} ${column} ${message}`}>
          <span className="mono">
            {line === undefined ? path.join('.') : text('error.place', { line, column: column ?? 1 })}
          </span>{' '}
          {sentence(message, said)}
        </li>
      ))}
    </ul>
  );
}

function Away({ error }: { error: unknown }) {
  const text = useText();
  return (
    <>
      <p>{text('error.awayDetail')}</p>
      <Command line="orrery doctor" />
      {error instanceof Error && <p className="mono dim">{error.message}</p>}
    </>
  );
}
