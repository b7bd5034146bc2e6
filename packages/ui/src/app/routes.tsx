/**
 * Every page and its address. A page is one entry here and one chunk, loaded on its first visit (Home, where
 * most visits start, comes with the shell); its folder in `pages/` exports it as `Page`. An entry in the
 * navigation also has its name, icon and key. Addresses without a page are in `stand-ins.ts`.
 */
import {
  IconBell,
  IconClock,
  IconDiamonds,
  IconGridDots,
  IconHistory,
  IconHome,
  IconListCheck,
  IconPlayerPlay,
  IconSettings,
  IconStack2,
  IconTopologyStar,
} from '@tabler/icons-react';
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
  { path: '/workflows/$project/$name', load: () => import('../pages/workflow/page.tsx') },
  { path: '/workflows/$project/$name/edit', load: () => import('../pages/editor/page.tsx') },
  { path: '/workflows/$project/$name/$tab', load: () => import('../pages/workflow/page.tsx') },
  { path: '/workflows/$project/$name/versions/$pair', load: () => import('../pages/workflow/page.tsx') },
  {
    path: '/schedules',
    load: () => import('../pages/schedules/page.tsx'),
    nav: { label: 'nav.schedules', icon: IconClock, key: 's' },
  },
  { path: '/schedules/calendar', load: () => import('../pages/schedules/page.tsx') },
  { path: '/schedules/load', load: () => import('../pages/schedules/page.tsx') },
  { path: '/schedules/calendars', load: () => import('../pages/schedules/page.tsx') },
  { path: '/schedules/explain', load: () => import('../pages/schedules/page.tsx') },
  { path: '/schedules/$id', load: () => import('../pages/schedule/page.tsx') },
  {
    path: '/backfills',
    load: () => import('../pages/backfills/page.tsx'),
    nav: { label: 'nav.backfills', icon: IconHistory, key: 'b' },
  },
  { path: '/backfills/new', load: () => import('../pages/backfill-new/page.tsx') },
  { path: '/backfills/$id', load: () => import('../pages/backfill/page.tsx') },
  {
    path: '/jobs',
    load: () => import('../pages/jobs/page.tsx'),
    nav: { label: 'nav.jobs', icon: IconGridDots, key: 'j' },
  },
  { path: '/jobs/$center/$job', load: () => import('../pages/job/page.tsx') },
  { path: '/jobs/$center/$job/$tab', load: () => import('../pages/job/page.tsx') },
  {
    path: '/cluster',
    load: () => import('../pages/cluster/page.tsx'),
    nav: { label: 'nav.cluster', icon: IconTopologyStar, key: 'c' },
  },
  { path: '/cluster/$section', load: () => import('../pages/cluster/page.tsx') },
  { path: '/cluster/nodes/$id', load: () => import('../pages/cluster/page.tsx') },
  {
    path: '/groups',
    load: () => import('../pages/groups/page.tsx'),
    nav: { label: 'nav.groups', icon: IconStack2, key: 'g' },
  },
  { path: '/groups/workers/$name', load: () => import('../pages/groups/page.tsx') },
  { path: '/groups/tasks/$project/$name', load: () => import('../pages/groups/page.tsx') },
  {
    path: '/alerts',
    load: () => import('../pages/alerts/page.tsx'),
    nav: { label: 'nav.alerts', icon: IconBell, key: 'a' },
  },
  { path: '/alerts/$section', load: () => import('../pages/alerts/page.tsx') },
  {
    path: '/audit',
    load: () => import('../pages/audit/page.tsx'),
    nav: { label: 'nav.audit', icon: IconListCheck, key: 'u' },
  },
  {
    path: '/settings',
    load: () => import('../pages/settings/page.tsx'),
    nav: { label: 'nav.settings', icon: IconSettings, key: ',' },
  },
  { path: '/settings/$section', load: () => import('../pages/settings/page.tsx') },
  { path: '/runs/$run', load: () => import('../pages/run/page.tsx') },
  { path: '/task-runs/$id', load: () => import('../pages/log/page.tsx') },
];
