/** The navigation. Its badges count what needs someone, never totals. */
import { ActionIcon } from '@mantine/core';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import { useRouterState } from '@tanstack/react-router';
import { useText } from '../../i18n/text.tsx';
import { shown } from '../../parts/keys/match.ts';
import { isMac } from '../../parts/keys/use-keys.ts';
import { Link } from '../link.tsx';
import { pages } from '../routes.tsx';
import { useNarrowed } from '../use-project.ts';
import { useBadges } from './badges.ts';
import { Mark } from './mark.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import styles from './shell.module.css';

export function Nav({ folded, onFold }: { folded: boolean; onFold?: () => void }) {
  const text = useText();
  const badges = useBadges();
  // A log is of a run, and has its place among them.
  const path = useRouterState({
    select: ({ location: { pathname } }) => pathname.replace(/^\/task-runs\//, '/runs/'),
  });
  const isHere = (to: string) => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`));
  const list = pages.find(({ path: to, nav }) => nav && isHere(to))?.path ?? '/';
  const narrowed = useNarrowed();
  const fold = text(folded ? 'nav.unfold' : 'nav.fold');
  return (
    <nav
      className={styles.nav}
      data-folded={folded || undefined}
      data-drawer={onFold ? undefined : true}
      aria-label={text('nav.label')}
    >
      <Link to="/" className={styles.brand}>
        <Mark />
        <span className={styles.brandName}>Orrery</span>
      </Link>
      <ProjectSwitcher list={list} folded={folded} />
      <ul className={styles.items}>
        {pages.map(({ path: to, nav }) => {
          if (!nav) return null;
          const count = badges[to] ?? 0;
          const label = text(nav.label);
          const Icon = nav.icon;
          return (
            <li key={to}>
              <Link
                to={narrowed(to)}
                className={styles.item}
                aria-current={isHere(to) ? 'page' : undefined}
                data-hint={folded ? `${label}  g ${nav.key}` : `g ${nav.key}`}
              >
                <Icon size={16} />
                <span className={styles.itemLabel}>{label}</span>
                {count > 0 && (
                  <>
                    <span className={styles.badge} aria-hidden="true">
                      {count > 99 ? '99+' : count}
                    </span>
                    <span className="visually-hidden">{text('nav.needs', { count })}</span>
                  </>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
      {onFold && (
        <div className={styles.navFoot}>
          <ActionIcon
            variant="subtle"
            aria-label={fold}
            data-hint={`${fold}  ${shown('mod+b', isMac)}`}
            onClick={onFold}
          >
            {folded ? <IconLayoutSidebarLeftExpand size={16} /> : <IconLayoutSidebarLeftCollapse size={16} />}
          </ActionIcon>
        </div>
      )}
    </nav>
  );
}
