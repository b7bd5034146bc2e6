/** Every page and its address. A page is one line here and one chunk of its own, loaded when it is first opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { base } from '../data/client.ts';
import { PageDefect } from './page-defect.tsx';
import { formatQuery, parseQuery } from './search-fields.ts';
import { Shell } from './shell/shell.tsx';

type Load = () => Promise<{ readonly Page: RouteComponent }>;

/** A folder of `pages/` exports its page as `Page`. */
const pages: readonly (readonly [path: string, load: Load])[] = [
  ['/', () => import('../pages/home/page.tsx')],
  ['/workflows', () => import('../pages/workflows/page.tsx')],
];

const root = createRootRoute({ component: Shell });

/** Outside the shell: nobody is signed in yet. */
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyRouteComponent(() => import('../pages/login/page.tsx'), 'Page'),
});

const go = createRoute({
  getParentRoute: () => root,
  path: '/go/$',
  component: lazyRouteComponent(() => import('./go.tsx'), 'Go'),
});

const routes = pages.map(([path, load]) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'Page') }),
);

/** The router. Queries are plain texts, the same as those of the API. */
export const router = createRouter({
  routeTree: root.addChildren([login, go, ...routes]),
  basepath: new URL(base).pathname,
  parseSearch: parseQuery,
  stringifySearch: formatQuery,
  defaultPreload: 'intent',
  defaultNotFoundComponent: lazyRouteComponent(() => import('./not-found.tsx'), 'NotFound'),
  defaultErrorComponent: PageDefect,
  scrollRestoration: false,
});
