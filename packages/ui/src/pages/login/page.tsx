/** Signing in: a token once, then back to where one wanted to go. */
import { useEffect } from 'react';
import { useGo } from '../../app/link.tsx';
import { textField } from '../../app/search-fields.ts';
import { Mark } from '../../app/shell/mark.tsx';
import { useSearch } from '../../app/use-search.ts';
import { setPlaceName } from '../../data/place-name.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './login.module.css';
import { SignInForm } from './sign-in-form.tsx';

const fields = { to: textField(2_000) };

export function Page() {
  const text = useText();
  const go = useGo();
  const [{ to }] = useSearch(fields);
  const title = text('login.title');
  useEffect(() => setPlaceName({ title, crumbs: [] }), [title]);
  // Only addresses of the console itself: a link must not lead people elsewhere after they signed in.
  const target = to !== undefined && /^\/(?![/\\])/.test(to) ? to : '/';
  return (
    <main className={styles.page}>
      <div className={styles.head}>
        <Mark />
        <h1>{title}</h1>
      </div>
      <SignInForm onDone={() => go(target, { replace: true })} />
    </main>
  );
}
