/** The router over the pages: addresses below the base path, queries as plain texts, the same as those of the API. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { base } from '../data/client.ts';
import { loadFile } from '../data/newer-build.ts';
import { LeadOn } from './lead-on.tsx';
import { NotFound } from './not-found.tsx';
import { PageDefect } from './page-defect.tsx';
import { pages } from './routes.tsx';
import { formatQuery, parseQuery } from './search-fields.ts';
import { Shell } from './shell/shell.tsx';
import { leadById, standIns } from './stand-ins.ts';

const root = createRootRoute();

/** Without the shell: the user is not signed in yet. */
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyRouteComponent(() => loadFile('/login', () => import('../pages/login/page.tsx')), 'Page'),
});

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
const inShell = [
  ...pages.map(({ path, load }) => ({
    path,
    component: lazyRouteComponent(() => loadFile(path, load), 'Page'),
  })),
  ...Object.entries({ ...standIns, '/go/$': leadById }).map(([path, find]) => ({
    path,
    component: () => <LeadOn form={path} find={find} />,
  })),
  { path: '$', component: NotFound },
].map((route) => createRoute({ getParentRoute: () => shell, ...route }));

export const router = createRouter({
  routeTree: root.addChildren([login, shell.addChildren(inShell)]),
  basepath: new URL(base).pathname,
  parseSearch: parseQuery,
  stringifySearch: formatQuery,
  defaultErrorComponent: PageDefect,
  scrollRestoration: false,
});
