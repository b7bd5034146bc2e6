/** Asks for a token in a dialog when the session has expired; text typed on the page stays. */
import { Modal } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
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
  const router = useRouter();
  useEffect(() => {
    // The address is read when it is needed: it changes while the sign-in page is on its way.
    if (session === 'needed')
      go(`/login${formatQuery({ to: router.state.location.href })}`, { replace: true });
  }, [session, go, router]);
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
