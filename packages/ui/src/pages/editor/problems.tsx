/** Everything that is wrong with the text, or doubtful, below it; each leads to its place. */
import { useText } from '../../i18n/text.tsx';
import style from './editor.module.css';
import type { TextProblem } from './reading.ts';

export function Problems({
  problems,
  onOpen,
}: {
  problems: readonly TextProblem[];
  onOpen(at: TextProblem): void;
}) {
  const text = useText();
  if (problems.length === 0) return null;
  return (
    <section className={style.problems} aria-label={text('editor.problems', { count: problems.length })}>
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.line} ${problem.column} ${problem.message}`}>
            <button type="button" data-doubt={problem.doubt || undefined} onClick={() => onOpen(problem)}>
              <span className="mono">
                {text('error.place', { line: problem.line, column: problem.column })}
              </span>{' '}
              {problem.message}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
