/** Shown in place of a run that cannot be shown. */
import { ApiProblem } from '@orrery/sdk';
import { runsAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useLanguage } from '../../i18n/text.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Page as Frame } from '../../parts/page.tsx';

/**
 * The run does not exist, or no longer; or the server did not answer, and then nothing is claimed about the
 * run.
 */
export function NoRun({ id, error, retry }: { id: string; error?: Error; retry?: () => void }) {
  const { text } = useLanguage();
  const gone = error === undefined || (error instanceof ApiProblem && error.status === 404);
  return (
    <Frame
      title={text('run.title', { id })}
      crumbs={[{ label: text('run.toList'), to: runsAddress() }, { label: id }]}
    >
      {error && <ErrorPanel error={error} retry={retry} />}
      {gone && (
        <EmptyState title={text('run.gone', { id })}>
          <p className="dim">{text('run.goneWhy')}</p>
          <Link to={runsAddress()}>{text('run.toList')}</Link>
        </EmptyState>
      )}
    </Frame>
  );
}
