/**
 * Every picture. A loaded page, wide, in light and dark, is compared with a stored picture. All others are taken for
 * people to look at: narrower ones, a telephone's, other languages, other states.
 */
import type { Page } from 'playwright-core';
import type { Places, WorldName } from './worlds.ts';

/** A page in one state. */
interface Look {
  readonly name: string;
  readonly world: WorldName;
  readonly address: string | ((places: Places) => string);
  /** Requests that get no answer, a bad one, or their own with the id of the request made the same every time. */
  readonly fault?: { readonly kind: 'held' | 'refused' | 'named'; readonly of: string };
  /** Acts on the page once it is complete. */
  readonly act?: (page: Page) => Promise<void>;
  /** What shows that it is there, in any language. */
  readonly there: (page: Page) => ReturnType<Page['locator']>;
  /** Whether it has a graph, which is drawn by depth until it is laid out. */
  readonly graph?: true;
  /** Errors that the browser tells of itself. */
  readonly errors?: RegExp;
}

/** One picture. */
export interface Shot {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
}

/** A page that is opened once, and the pictures taken of it, one after the other. */
export interface Visit {
  readonly look: Look;
  readonly language: 'en' | 'zh-CN' | 'x-pseudo';
  readonly shots: readonly [Shot, ...Shot[]];
}

const wide = { width: 1440, height: 900 };
const narrow = { width: 900, height: 700 };
const telephone = { width: 390, height: 780 };
const [light, dark] = [{ scheme: 'light' }, { scheme: 'dark' }] as const;
const wideShots: Visit['shots'] = [
  { ...wide, ...light },
  { ...wide, ...dark },
];
const narrowShots: Visit['shots'] = [
  { ...narrow, ...light },
  { ...narrow, ...dark },
];

const row = (name: string) => (page: Page) => page.getByRole('row', { name: new RegExp(name) }).first();
const box = (name: string) => (page: Page) =>
  page.getByRole('main').getByRole('button', { name: new RegExp(`^${name}, `) });
const boxes = (name: RegExp) => (page: Page) => page.getByRole('main').getByRole('button', { name }).first();
const alert = (page: Page) => page.getByRole('alert').first();
const dialog = (page: Page) => page.getByRole('dialog');
const loading = (page: Page) => page.locator('main [role="status"][aria-label]').first();
const words = (text: string) => (page: Page) => page.getByRole('main').getByText(text).first();
const palette = (typed: string) => async (page: Page) => {
  await page.keyboard.press('Control+k');
  await dialog(page).getByRole('combobox').fill(typed);
};

/** Loaded pages of what people set up: name, address, and what shows that they are there. */
const furnished = (
  [
    ['workflow', '/workflows/etl/orders', boxes(/^extract/)],
    ['workflow-runs', '/workflows/etl/orders/runs', (page) => page.getByRole('main').getByRole('row').nth(3)],
    ['workflow-versions', '/workflows/etl/orders/versions', row('v2')],
    ['workflow-diff', '/workflows/etl/orders/versions/1..2', boxes(/^extract/)],
    ['workflow-schedules', '/workflows/etl/orders/schedules', words('hourly')],
    ['workflow-parameters', '/workflows/etl/orders/parameters', words('region')],
    ['workflow-settings', '/workflows/etl/orders/settings', words('etl')],
    ['schedules', '/schedules', row('etl/orders')],
    [
      'schedules-calendar',
      '/schedules/calendar',
      (page) => page.getByRole('main').getByRole('button').nth(9),
    ],
    ['schedules-load', '/schedules/load', (page) => page.getByRole('main').getByRole('heading').first()],
    ['schedules-calendars', '/schedules/calendars', words('etl/holidays')],
    [
      'schedules-explain',
      '/schedules/explain?cron=30+2+*+*+*&tz=Europe/Berlin',
      (page) => page.getByRole('main').getByRole('listitem').first(),
    ],
    ['schedule', ({ schedule }) => schedule, words('08:30')],
    ['backfills', '/backfills', row('etl/copy')],
    [
      'backfill-new',
      '/backfills/new?workflow=etl/copy&from=2026-02-01&to=2026-02-10&cron=0+2+*+*+*',
      words('orrery backfill'),
    ],
    ['backfill', ({ backfill }) => backfill, (page) => page.getByRole('main').getByRole('listitem').nth(5)],
    ['cluster', '/cluster', words('w2')],
    ['node', ({ node }) => node, (page) => page.getByRole('main').getByRole('rowheader').first()],
    ['groups', '/groups', words('etl/warehouse')],
    ['group', '/groups/tasks/etl/warehouse', (page) => page.getByRole('main').getByRole('rowheader').nth(2)],
    ['worker-group', '/groups/workers/gpu', words('w2')],
    ['audit', '/audit', row('token')],
    ['settings-tokens', '/settings/tokens', words('old laptop')],
    ['settings-projects', '/settings/projects', words('crm')],
    ['settings-connections', '/settings/connections', words('warehouse')],
    ['settings-environments', '/settings/environments', words('prod')],
    ['settings-worker-groups', '/settings/worker-groups', words('default')],
    ['settings-secrets', '/settings/secrets', words('api-key')],
    [
      'settings-retention',
      '/settings/retention',
      (page) => page.getByRole('main').getByRole('heading').first(),
    ],
    ['settings-config', '/settings/config', (page) => page.getByRole('main').getByRole('heading').first()],
    ['settings-plugins', '/settings/plugins', words('shell')],
  ] satisfies [string, Look['address'], Look['there']][]
).map(
  ([name, address, there]): Look => ({
    name,
    world: 'furnished',
    address,
    there,
    ...(/^workflow(-diff)?$/.test(name) && { graph: true }),
  }),
);

/** Loaded pages. */
const loaded: readonly Look[] = [
  { name: 'sign-in', world: 'locked', address: '/login', there: (page) => page.getByRole('textbox') },
  { name: 'home', world: 'small', address: '/', there: (page) => page.getByRole('slider').first() },
  { name: 'workflows', world: 'small', address: '/workflows', there: row('daily-orders') },
  ...(['text', 'form', 'tasks'] as const).map((as) => ({
    name: `editor-${as}`,
    world: 'small' as const,
    address: `/workflows/etl/daily-orders/edit?as=${as}&task=check`,
    there: box('check'),
    graph: true as const,
  })),
  { name: 'runs', world: 'small', address: '/runs', there: row('daily-orders') },
  { name: 'runs-groups', world: 'small', address: '/runs?group=error', there: row('warehouse') },
  {
    name: 'runs-durations',
    world: 'small',
    address: '/runs?plot=scatter',
    there: (page) => page.locator('button[aria-busy="false"] canvas').first(),
  },
  {
    name: 'run-graph',
    world: 'small',
    address: ({ failed }) => `${failed}?view=graph&task=fetch`,
    there: words('HTTP 502'),
    graph: true,
  },
  {
    name: 'run-timeline',
    world: 'small',
    address: ({ orders }) => `${orders}?view=timeline`,
    there: words('daily-orders'),
  },
  {
    name: 'run-table',
    world: 'small',
    address: ({ orders }) => `${orders}?view=table`,
    there: row('extract'),
  },
  { name: 'log', world: 'small', address: ({ log }) => log, there: words('HTTP 502') },
  {
    name: 'run-dialog',
    world: 'small',
    address: '/workflows?run=etl/daily-orders',
    there: (page) => dialog(page).getByText('orrery run etl/daily-orders'),
  },
  {
    name: 'again-dialog',
    world: 'small',
    address: ({ failed }) => `${failed}?view=graph&again=recover`,
    there: words('orrery runs recover'),
    graph: true,
  },
  {
    name: 'replay-dialog',
    world: 'small',
    address: ({ failed }) => `${failed}?replay=same`,
    there: (page) => dialog(page).getByText('orrery runs replay').first(),
    graph: true,
  },
  {
    name: 'palette',
    world: 'small',
    address: '/workflows',
    act: palette('orders'),
    there: (page) => page.getByRole('option', { name: /orders-summary/ }).first(),
  },
  {
    name: 'keys',
    world: 'small',
    address: '/workflows',
    act: (page) => page.keyboard.press('?'),
    there: dialog,
  },
  { name: 'alerts', world: 'small', address: '/alerts', there: row('gpu') },
  { name: 'alerts-messages', world: 'small', address: '/alerts/messages', there: row('250 accepted') },
  { name: 'alerts-rules', world: 'small', address: '/alerts/rules', there: row('failures') },
  { name: 'alerts-mutes', world: 'small', address: '/alerts/mutes', there: row('moving hosts') },
  { name: 'alerts-channels', world: 'small', address: '/alerts/channels', there: row('on-call') },
  { name: 'jobs', world: 'small', address: '/jobs', there: row('settle') },
  { name: 'job', world: 'small', address: '/jobs/billing/settle', there: row('beijing|shard|分片') },
  {
    name: 'job-instances',
    world: 'small',
    address: '/jobs/billing/settle/instances',
    there: words('account 4711'),
  },
  {
    name: 'job-heat',
    world: 'huge',
    address: '/jobs/billing/sync-0000',
    act: async (page) => {
      await page.locator('main [role="radiogroup"] label').last().click();
    },
    there: (page) => page.getByRole('main').locator('canvas').first(),
  },
  { name: 'job-history', world: 'small', address: '/jobs/billing/settle/history', there: row('\\d') },
  {
    name: 'job-settings',
    world: 'small',
    address: '/jobs/billing/settle/config',
    there: words('orrery jobs config'),
  },
  {
    name: 'publish-dialog',
    world: 'small',
    address: '/workflows?open=example-hello',
    there: (page) => dialog(page).getByText('default/hello'),
  },
];

/** Other states. */
const states: readonly Look[] = [
  {
    name: 'sign-in.error',
    world: 'locked',
    address: '/login',
    act: async (page) => {
      await page.getByRole('textbox').fill('wrong');
      await page.keyboard.press('Enter');
    },
    there: (page) => page.getByText('does not accept this token'),
    errors: /401/,
  },
  { name: 'alerts.empty', world: 'empty', address: '/alerts', there: words('orrery alerts') },
  ...faults('alerts', 'small', '/alerts', '**/api/v1/alerts*'),
  { name: 'home.empty', world: 'empty', address: '/', there: words('orrery apply -f hello.yaml') },
  { name: 'home.huge', world: 'huge', address: '/', there: (page) => page.getByRole('slider').first() },
  ...faults('home', 'small', '/', '**/api/v1/overview*'),
  { name: 'workflows.empty', world: 'empty', address: '/workflows', there: words('orrery apply -f FILE') },
  {
    name: 'workflows.filtered',
    world: 'small',
    address: '/workflows?q=nothing-is-called-so',
    there: (page) => page.getByRole('main').getByText('nothing-is-called-so').first(),
  },
  { name: 'workflows.huge', world: 'huge', address: '/workflows', there: row('-00\\d+') },
  ...faults('workflows', 'small', '/workflows', '**/api/v1/workflows*'),
  {
    name: 'editor.missing',
    world: 'empty',
    address: '/workflows/default/nothing/edit',
    there: words('default/nothing'),
  },
  {
    name: 'editor.huge',
    world: 'huge',
    address: '/workflows/ml/wide/edit',
    there: (page) =>
      page
        .getByRole('main')
        .getByRole('button', { name: /^[\w-]+, / })
        .first(),
  },
  ...faults('editor', 'small', '/workflows/etl/daily-orders/edit', '**/daily-orders/source*'),
  { name: 'runs.empty', world: 'empty', address: '/runs', there: words('orrery run') },
  {
    name: 'runs.filtered',
    world: 'small',
    address: '/runs?workflow=etl/daily-orders&state=broken',
    there: words('daily-orders'),
  },
  { name: 'runs.huge', world: 'huge', address: '/runs', there: row('-00\\d+') },
  ...faults('runs', 'small', '/runs', '**/api/v1/runs*'),
  { name: 'run.empty', world: 'small', address: ({ queued }) => queued, there: words('stock-sync') },
  {
    name: 'run.missing',
    world: 'small',
    address: '/runs/999999',
    fault: { kind: 'named', of: '**/api/v1/runs/999999' },
    there: alert,
    errors: /404/,
  },
  ...(['graph', 'timeline', 'table'] as const).map((view) => ({
    name: `run-${view}.huge`,
    world: 'huge' as const,
    address: ({ wide: run }: Places) => `${run}?view=${view}`,
    there: (page: Page) => page.getByRole(view === 'table' ? 'row' : 'button', { name: /^part-\d/ }).first(),
  })),
  ...faults('run', 'small', ({ failed }) => failed, '**/api/v1/runs/*'),
  { name: 'log.empty', world: 'small', address: ({ notStarted }) => notStarted, there: words('train') },
  { name: 'log.huge', world: 'huge', address: ({ longLog }) => longLog, there: words('exported row') },
  ...faults('log', 'small', ({ log }) => log, '**/attempts?*'),
  { name: 'jobs.empty', world: 'empty', address: '/jobs', there: words('orrery dev --jobs') },
  { name: 'jobs.huge', world: 'huge', address: '/jobs', there: row('-00\\d+') },
  ...faults('jobs', 'small', '/jobs', '**/api/v1/jobs'),
  { name: 'job.huge', world: 'huge', address: '/jobs/billing/sync-0000', there: row('@-@401') },
  ...faults('job', 'small', '/jobs/billing/settle', '**/api/v1/jobs/billing/settle'),
  { name: 'workflow.huge', world: 'huge', address: '/workflows/ml/wide', there: boxes(/^part-/) },
  ...faults('workflow', 'furnished', '/workflows/etl/orders', '**/api/v1/workflows/etl/orders'),
  { name: 'schedules.empty', world: 'empty', address: '/schedules', there: words('schedules:') },
  { name: 'schedules.huge', world: 'huge', address: '/schedules', there: row('-00\\d+') },
  { name: 'schedules-calendar.huge', world: 'huge', address: '/schedules/calendar', there: words('1') },
  { name: 'schedules-load.huge', world: 'huge', address: '/schedules/load', there: words('24') },
  ...faults('schedules', 'furnished', '/schedules', '**/api/v1/schedules*'),
  ...faults('schedule', 'furnished', ({ schedule }) => schedule, '**/api/v1/schedules/*'),
  { name: 'backfills.empty', world: 'empty', address: '/backfills', there: words('orrery backfill') },
  ...faults('backfills', 'furnished', '/backfills', '**/api/v1/runs*'),
  ...faults('backfill', 'furnished', ({ backfill }) => backfill, '**/api/v1/runs/*'),
  { name: 'cluster.empty', world: 'empty', address: '/cluster', there: words('orrery server') },
  ...faults('cluster', 'furnished', '/cluster', '**/api/v1/nodes'),
  { name: 'groups.empty', world: 'empty', address: '/groups', there: words('orrery groups set') },
  { name: 'cluster.huge', world: 'crowd', address: '/cluster', there: words('worker-0049') },
  { name: 'groups.huge', world: 'crowd', address: '/groups', there: words('etl/group-0007') },
  { name: 'backfills.huge', world: 'crowd', address: '/backfills', there: row('etl/copy') },
  { name: 'settings-tokens.huge', world: 'crowd', address: '/settings/tokens', there: words('robot-') },
  { name: 'alerts.huge', world: 'crowd', address: '/alerts', there: row('orders') },
  { name: 'alerts-messages.huge', world: 'crowd', address: '/alerts/messages', there: row('200 ok') },
  {
    name: 'backfill.huge',
    world: 'crowd',
    address: ({ manyTimes }) => manyTimes,
    there: (page) => page.getByRole('main').locator('summary').first(),
  },
  ...faults('groups', 'furnished', '/groups', '**/api/v1/{task-groups,worker-groups,limits}'),
  { name: 'settings.empty', world: 'empty', address: '/settings', there: words('orrery token create') },
  ...faults('settings', 'furnished', '/settings', '**/api/v1/tokens*'),
  {
    name: 'audit.empty',
    world: 'empty',
    address: '/audit',
    there: (page) => page.getByRole('heading').nth(1),
  },
  ...faults('audit', 'furnished', '/audit', '**/api/v1/audit*'),
  {
    name: 'palette.empty',
    world: 'small',
    address: '/workflows',
    act: palette('nothing is called so'),
    there: (page) => dialog(page).getByRole('combobox'),
  },
];

/** Navigation where there is no room for it beside the page. */
const drawer: Look = {
  name: 'navigation',
  world: 'small',
  address: '/workflows',
  act: (page) => page.getByRole('banner').getByRole('button').first().click(),
  there: dialog,
};

/** Visits whose pictures are stored and compared. */
export const compared: readonly Visit[] = [...loaded, ...furnished].map((look) => ({
  look,
  language: 'en',
  shots: wideShots,
}));

/** Visits whose pictures are only taken. */
export const others: readonly Visit[] = [
  ...[...loaded, ...furnished].flatMap((look): Visit[] => [
    { look, language: 'en', shots: narrowShots },
    { look, language: 'en', shots: [{ ...telephone, ...light }] },
    { look, language: 'zh-CN', shots: [{ ...wide, ...light }] },
    { look, language: 'x-pseudo', shots: [{ ...narrow, ...light }] },
  ]),
  ...states.map((look): Visit => ({ look, language: 'en', shots: [...wideShots, ...narrowShots] })),
  { look: drawer, language: 'en', shots: [{ ...telephone, ...light }] },
];

/** The name of a picture. */
export function pictureName({ look, language }: Visit, { width, scheme }: Shot): string {
  return [look.name, width, scheme, ...(language === 'en' ? [] : [language])].join('.');
}

function faults(name: string, world: WorldName, address: Look['address'], of: string): Look[] {
  return [
    { name: `${name}.loading`, world, address, fault: { kind: 'held', of }, there: loading },
    { name: `${name}.error`, world, address, fault: { kind: 'refused', of }, there: alert, errors: /500/ },
  ];
}
