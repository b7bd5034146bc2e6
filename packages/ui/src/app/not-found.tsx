/** An address that leads nowhere: the nearest pages and names, and the way home. */
import { Button } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useText } from '../i18n/text.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { Link, useGo } from './link.tsx';
import { fit } from './palette/entries.ts';
import { useFound } from './palette/use-found.ts';
import { pages } from './routes.tsx';

export function NotFound() {
  const text = useText();
  const go = useGo();
  const address = useRouterState({ select: ({ location }) => location.pathname });
  const wanted = address.split('/').filter(Boolean);
  const last = decodeURIComponent(wanted.at(-1) ?? '');
  const near = pages.flatMap(({ path, nav }) => {
    const name = path.slice(1);
    const alike = nav && wanted[0] !== undefined && (fit(name, wanted[0]) ?? fit(wanted[0], name)) !== null;
    return nav && name !== '' && alike ? [{ label: text(nav.label), to: path }] : [];
  });
  const found = useFound(last).entries.flatMap(({ label, to }) => (to === undefined ? [] : [{ label, to }]));
  const links = [...near, ...found].slice(0, 8);
  return (
    <Page title={text('notFound.title')} crumbs={[]}>
      <EmptyState title={text('notFound.address', { address })}>
        {links.length > 0 && (
          <p>
            {text('notFound.near')}{' '}
            {links.map(({ label, to }) => (
              <span key={to}>
                <Link to={to}>{label}</Link>{' '}
              </span>
            ))}
          </p>
        )}
        <Button variant="filled" onClick={() => go('/')}>
          {text('notFound.home')}
        </Button>
      </EmptyState>
    </Page>
  );
}
