/**
 * What a user does: each act chooses by chance, does it, and says in words what it did. Acts that take the server or the
 * network away do some others meanwhile.
 */
import type { Random } from '@orrery/testkit/random';
import type { Page } from 'playwright-core';
import { anyAddress } from './addresses.ts';
import { controls } from './controls.ts';
import type { World } from './world.ts';

/** One who acts, and on what. */
export interface Actor {
  readonly page: Page;
  readonly random: Random;
  readonly world: World;
}

type Act = (actor: Actor) => Promise<string>;

const moves = 'j k ArrowDown ArrowUp ArrowLeft ArrowRight Home End PageDown [ ]'.split(' ');
const letters = [...'?/cehlmnoprstuvwxyzEFGMNRX.;_+-0123456789'];
const often = 'Enter Enter Enter Escape Escape Escape Tab Tab Tab Shift+Tab Space Space'.split(' ');
const presses = [
  ...[...moves, ...moves, ...letters, ...often],
  ...['Control+k', 'Control+b', 'Control+Enter', 'Backspace', 'g h', 'g w', 'g r'],
];
const words = ['a', 'fetch', 'part_1', 'odd/fan', 'why 1', '> ', '#1', '(((', '订单', '12', 'x=y', 'failed'];

const press: Act = async ({ page, random }) => {
  const keys = random.pick(presses);
  for (const key of keys.split(' ')) await page.keyboard.press(key);
  return `press ${keys}`;
};

const pressQuickly: Act = async ({ page, random }) => {
  const keys = Array.from({ length: 3 + random.int(8) }, () => random.pick(presses));
  if (random.chance(0.4)) keys.fill(random.pick(presses));
  // Not one after the other is done: as fast as they can be sent.
  await Promise.all(keys.flatMap((each) => each.split(' ')).map((key) => page.keyboard.press(key)));
  return `press quickly ${keys.join(' ')}`;
};

const click: Act = async ({ page, random }) => {
  const all = await controls(page);
  if (all.length === 0) return 'found nothing to click';
  const { x, y, kind, name } = random.pick(all);
  const clickCount = random.chance(0.08) ? 2 : 1;
  const modifier = random.chance(0.05) ? 'Shift' : undefined;
  if (modifier) await page.keyboard.down(modifier);
  await page.mouse.click(x, y, { clickCount });
  if (modifier) await page.keyboard.up(modifier);
  return `${modifier ?? ''} click ${kind} “${name}” at ${Math.round(x)},${Math.round(y)} × ${clickCount}`;
};

const inDialog: Act = async ({ page, random }) => {
  const all = await controls(
    page,
    ':is([role="dialog"], [role="menu"], [role="listbox"]) :is(button, input, a, select, textarea, [role])',
  );
  if (all.length === 0) return click({ page, random } as Actor);
  const { x, y, kind, name } = random.pick(all);
  await page.mouse.click(x, y);
  return `click in dialog ${kind} “${name}”`;
};

const gesture: Act = async ({ page, random }) => {
  const [on] = await controls(page, 'canvas');
  if (!on) return click({ page, random } as Actor);
  const point = () => ({
    x: on.x + (random.next() - 0.5) * on.width,
    y: on.y + (random.next() - 0.5) * on.height,
  });
  const [from, to] = [point(), point()];
  const kind = random.pick(['click', 'double click', 'wheel', 'drag', 'hover'] as const);
  await page.mouse.move(from.x, from.y);
  if (kind === 'click') await page.mouse.click(from.x, from.y);
  if (kind === 'double click') await page.mouse.dblclick(from.x, from.y);
  if (kind === 'wheel') await page.mouse.wheel(random.pick([0, 0, 200]), random.pick([-900, -200, 200, 900]));
  if (kind === 'hover') await page.mouse.move(to.x, to.y, { steps: 4 });
  if (kind === 'drag') {
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    if (random.chance(0.2)) await page.keyboard.press('Escape');
    await page.mouse.up();
  }
  return `${kind} on the canvas at ${Math.round(from.x)},${Math.round(from.y)}`;
};

const type: Act = async ({ page, random }) => {
  if (random.chance(0.5)) await page.keyboard.press('/');
  const word = random.pick(words);
  await page.keyboard.type(word);
  return `type ${word}`;
};

const goTo: Act = async ({ page, random, world }) => {
  if (world.faultAt === Number.POSITIVE_INFINITY) return 'go nowhere';
  const address = anyAddress(random, world);
  await page.goto(`${world.server.url}${address}`, { waitUntil: random.pick(['commit', 'load']) });
  return `go to ${address}`;
};

/** Like a link, without reloading the console: leftovers of the previous page remain. */
const follow: Act = async ({ page, random, world }) => {
  const address = anyAddress(random, world);
  await page.evaluate((to) => {
    history.pushState({}, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: {} }));
  }, address);
  return `follow a link to ${address}`;
};

const back: Act = async ({ page, random }) => {
  const by = random.pick([-1, -1, -1, -2, 1, 1, 2]);
  await page.evaluate((steps) => history.go(steps), by);
  return `history ${by}`;
};

const reload: Act = async ({ page, world }) => {
  if (world.faultAt === Number.POSITIVE_INFINITY) return 'do not reload';
  await page.reload({ waitUntil: 'commit' });
  return 'reload';
};

const resize: Act = async ({ page, random }) => {
  const [width, height] = random.pick([
    [1440, 900],
    [900, 700],
    [390, 800],
    [320, 480],
  ] as const);
  await page.setViewportSize({ width, height });
  return `resize to ${width} × ${height}`;
};

/** As another tab of the same person would. */
const prefer: Act = async ({ page, random }) => {
  const value = {
    theme: random.pick(['light', 'dark', 'system']),
    language: random.pick(['en', 'en', 'zh-CN']),
    zone: random.pick(['browser', 'schedule', 'utc']),
    density: random.pick(['compact', 'comfortable']),
    navFolded: random.chance(0.5),
  };
  await page.evaluate((text) => {
    localStorage.setItem('orrery.preferences', text);
    dispatchEvent(new StorageEvent('storage', { key: 'orrery.preferences', newValue: text }));
  }, JSON.stringify(value));
  return `prefer ${Object.values(value).join(' ')}`;
};

const scheme: Act = async ({ page, random }) => {
  const colorScheme = random.pick(['light', 'dark'] as const);
  await page.emulateMedia({ colorScheme });
  return `system theme ${colorScheme}`;
};

/** What other people do at the same time. */
const others: Act = async ({ random, world }) => {
  if (world.faultAt === Number.POSITIVE_INFINITY) return 'nobody else is there';
  const { client } = world.server;
  const workflow = random.pick(['odd/fan', 'odd/noisy', 'odd/patient', 'odd/nested', 'etl/daily-orders']);
  const run = random.pick(world.runs);
  const does = random.pick(['start', 'start', 'stop', 'pause', 'rerun'] as const);
  const done: Promise<unknown> =
    does === 'start'
      ? client.startRun({ body: { workflow } })
      : does === 'stop'
        ? client.stopRun({ id: run, body: {} })
        : does === 'pause'
          ? client.pauseRun({ id: run, body: {} })
          : client.rerunRun({ id: run, body: {} });
  const said = await done.then(() => 'done', String);
  if (random.chance(0.3)) await world.look();
  return `someone else: ${does} ${does === 'start' ? workflow : run}: ${said}`;
};

const wait: Act = async ({ page, random }) => {
  const time = random.pick([200, 600, 1_200, 2_500]);
  await page.waitForTimeout(time);
  return `wait ${time} ms`;
};

const offline: Act = async (actor) => {
  const { page, world } = actor;
  world.faultAt = Number.POSITIVE_INFINITY;
  await page.context().setOffline(true);
  const meanwhile = await someOf(withoutServer, actor);
  await page.context().setOffline(false);
  world.faultAt = performance.now();
  return `offline: ${meanwhile}`;
};

const killServer: Act = async (actor) => {
  await actor.world.kill();
  const meanwhile = await someOf(withoutServer, actor);
  await actor.world.again();
  return `the server is killed, and starts again: ${meanwhile}`;
};

/** How often each is done, of all of them together. */
type Weighted = readonly (readonly [weight: number, act: Act])[];

const byHand: Weighted = [
  [26, press],
  [10, pressQuickly],
  [26, click],
  [8, inDialog],
  [9, gesture],
  [5, type],
  [5, follow],
  [6, back],
];
const withoutServer: Weighted = [...byHand, [5, wait]];
const everything: Weighted = [
  ...byHand,
  [5, goTo],
  [1.5, reload],
  [3, resize],
  [2, prefer],
  [1, scheme],
  [5, others],
  [4, wait],
  [0.8, offline],
  [0.3, killServer],
];

async function one(from: Weighted, actor: Actor): Promise<string> {
  let left = actor.random.next() * from.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, act] of from) {
    left -= weight;
    if (left < 0) return act(actor);
  }
  throw new Error('the weights do not add up');
}

async function someOf(from: Weighted, actor: Actor): Promise<string> {
  const done: string[] = [];
  for (let left = 1 + actor.random.int(6); left > 0; left--) done.push(await one(from, actor));
  return done.join('; ');
}

/** Does something, and says what. */
export function anyAct(actor: Actor): Promise<string> {
  return one(everything, actor);
}
