/** Home before anything has run: the commands that make the first run, and where to go on. */
import { Button } from '@mantine/core';
import { useGo } from '../../app/link.tsx';
import { useText } from '../../i18n/text.tsx';
import { FIRST_WORKFLOW } from '../../model/command-line.ts';
import { EmptyState } from '../../parts/empty-state.tsx';

export function FirstUse() {
  const text = useText();
  const go = useGo();
  return (
    <EmptyState title={text('home.first')} commands={[FIRST_WORKFLOW, 'orrery run hello --wait']}>
      <Button variant="filled" onClick={() => go('/workflows?open=new')}>
        {text('home.write')}
      </Button>
      <Button onClick={() => go('/workflows')}>{text('nav.workflows')}</Button>
    </EmptyState>
  );
}
