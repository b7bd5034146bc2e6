/**
 * Every page and its address. A page is one entry here and one chunk of its own, loaded when it is first opened (Home,
 * where most begin, comes with the shell); its folder in `pages/` exports it as `Page`. One that stands in the
 * navigation says its name, icon and key too. Addresses whose page is not there yet are in `stand-ins.ts`.
 */
import { IconDiamonds, IconHome, IconPlayerPlay } from '@tabler/icons-react';
import type { RouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Key } from '../i18n/en.ts';
import * as home from '../pages/home/page.tsx';

/** One page. */
export interface PageRoute {
  readonly path: string;
  readonly load: () => Promise<{ readonly Page: RouteComponent }>;
  readonly nav?: {
    readonly label: Key;
    readonly icon: ComponentType<{ size?: number }>;
    /** After `g`. */
    readonly key: string;
  };
}

/** In the order of the navigation. */
export const pages: readonly PageRoute[] = [
  {
    path: '/',
    load: () => Promise.resolve(home),
    nav: { label: 'nav.home', icon: IconHome, key: 'h' },
  },
  {
    path: '/workflows',
    load: () => import('../pages/workflows/page.tsx'),
    nav: { label: 'nav.workflows', icon: IconDiamonds, key: 'w' },
  },
  {
    path: '/runs',
    load: () => import('../pages/runs/page.tsx'),
    nav: { label: 'nav.runs', icon: IconPlayerPlay, key: 'r' },
  },
  { path: '/runs/$run', load: () => import('../pages/run/page.tsx') },
  { path: '/task-runs/$id', load: () => import('../pages/log/page.tsx') },
];
