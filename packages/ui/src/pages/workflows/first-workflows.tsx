/** The list before there is a workflow: the command that publishes one, and examples. */
import { Button } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { FIRST_WORKFLOW } from '../../model/command-line.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { examples } from './examples.ts';

interface FirstWorkflowsProps {
  onExample(name: string): void;
  onBlank(): void;
  onNew(): void;
}

export function FirstWorkflows({ onExample, onBlank, onNew }: FirstWorkflowsProps) {
  const text = useText();
  return (
    <EmptyState title={text('workflows.none')} commands={[FIRST_WORKFLOW]}>
      <Button variant="filled" onClick={onBlank}>
        {text('workflows.blank')}
      </Button>
      <Button onClick={onNew}>{text('workflows.paste')}</Button>
      {examples.map(({ name, title }) => (
        <Button key={name} onClick={() => onExample(name)}>
          {text(title)}
        </Button>
      ))}
    </EmptyState>
  );
}
