/** What can be done with the workflows that are chosen: with those of them that allow it. */
import { useText } from '../../i18n/text.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChosenBar } from '../../parts/list/chosen-bar.tsx';
import { type Row, refusalOf } from './row.ts';
import type { WorkflowActions } from './use-workflow-actions.ts';

interface ChosenWorkflowsProps {
  readonly rows: readonly Row[];
  readonly actions: WorkflowActions;
  onMove(rows: readonly Row[]): void;
  onClear(): void;
}

export function ChosenWorkflows({ rows, actions, onMove, onClear }: ChosenWorkflowsProps) {
  const text = useText();
  const button = (name: string, label: string, run: (fit: readonly Row[]) => void) => {
    const fit = rows.filter((row) => refusalOf(row, name) === undefined);
    const refusal = fit.length > 0 || !rows[0] ? undefined : refusalOf(rows[0], name);
    return (
      <ActionButton
        action={refusal ?? { name, allowed: true }}
        label={label}
        pending={actions.pending}
        onRun={() => run(fit)}
      />
    );
  };
  return (
    <ChosenBar count={rows.length} onClear={onClear}>
      {button('run', text('workflows.run'), (fit) => void actions.runAll(fit))}
      {button('pause-schedules', text('workflows.pause'), (fit) => void actions.setPaused(fit, true))}
      {button('resume-schedules', text('workflows.resume'), (fit) => void actions.setPaused(fit, false))}
      {button('move', text('workflows.moveTo'), onMove)}
      {button('export', text('workflows.export'), (fit) => void actions.exportFiles(fit))}
    </ChosenBar>
  );
}
