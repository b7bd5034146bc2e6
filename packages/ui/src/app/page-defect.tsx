/** Shown for a page that threw: the shell stays, and shows the details that a bug report needs. */
import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useText } from '../i18n/text.tsx';
import { Page } from '../parts/page.tsx';

export function PageDefect({ error, reset }: ErrorComponentProps) {
  const text = useText();
  return (
    <Page
      title={text('error.page')}
      crumbs={[]}
      actions={<Button onClick={reset}>{text('error.retry')}</Button>}
    >
      <pre style={{ padding: 16, whiteSpace: 'pre-wrap' }}>
        {error instanceof Error ? error.stack : String(error)}
      </pre>
    </Page>
  );
}
