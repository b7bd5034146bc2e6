/** Asks for a token above the page when the session has ended; what was typed on the page stays as it is. */
import { Modal } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSession } from '../data/session.ts';
import { useText } from '../i18n/text.tsx';
import { SignInForm } from '../pages/login/sign-in-form.tsx';
import { useGo } from './link.tsx';
import { formatQuery } from './search-fields.ts';

export function SignInAgain() {
  const text = useText();
  const go = useGo();
  const session = useSession();
  const here = useRouterState({ select: ({ location }) => location.href });
  useEffect(() => {
    if (session === 'needed') go(`/login${formatQuery({ to: here })}`, { replace: true });
  }, [session, here, go]);
  return (
    <Modal
      opened={session === 'expired'}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={text('login.again')}
    >
      <SignInForm />
    </Modal>
  );
}
