/** Signs this browser in with a token; on the sign-in page, and above any page whose session has expired. */
import { Button, PasswordInput } from '@mantine/core';
import { ApiProblem } from '@orrery/sdk/client';
import { useState } from 'react';
import { hub, queries } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { openSession } from '../../data/session.ts';
import { useText } from '../../i18n/text.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import styles from './login.module.css';

export function SignInForm({ onDone }: { onDone?: () => void }) {
  const text = useText();
  const [token, setToken] = useState('');
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const signIn = async () => {
    setPending(true);
    setError(undefined);
    try {
      await call('signIn', { body: { token: token.trim() } });
      openSession();
      hub.connectAgain();
      void queries.invalidateQueries();
      onDone?.();
    } catch (refused) {
      setError(refused);
    } finally {
      setPending(false);
    }
  };
  const refused = error instanceof ApiProblem && (error.status === 401 || error.status === 422);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      <PasswordInput
        label={text('login.token')}
        autoComplete="current-password"
        data-autofocus
        required
        value={token}
        error={refused ? text('login.refused') : undefined}
        visibilityToggleButtonProps={{ 'aria-label': text('login.show') }}
        onChange={({ currentTarget }) => setToken(currentTarget.value)}
      />
      {error !== undefined && !refused && <ErrorPanel error={error} />}
      <Button type="submit" variant="filled" size="sm" loading={pending}>
        {text('login.signIn')}
      </Button>
      <p className="dim">{text('login.how')}</p>
    </form>
  );
}
