/** What the tests of drawing share: a workflow of six tasks, and how boxes and fields are found. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Server } from './server.ts';

export const boxOf = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name}, `) });
export const rail = (page: Page) => page.getByRole('navigation', { name: 'Task types' });
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
export const saved = (page: Page) => page.getByText(/^draft.* · saved/).waitFor();

/** Six tasks with a condition and a sub-workflow, and what each needs. */
const needs = {
  shell: [],
  conditions: ['shell'],
  'sub-workflow': ['conditions'],
  'shell-2': ['sub-workflow'],
  noop: ['conditions'],
  'noop-2': ['noop'],
};
/** The texts typed into each form. */
export const typed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shell: { script: 'echo begin' },
  conditions: { all: '[shell]', success: 'sub-workflow', failure: 'noop' },
  'sub-workflow': { workflow: 'child' },
  'shell-2': { script: 'exit 3' },
};
export const nightly = "- { name: nightly, cron: '0 2 * * *' }";

/** What was published is what was drawn. */
export async function isAsDrawn(server: Server, name: string): Promise<void> {
  const { workflow } = await server.client.showWorkflow({ project: 'default', name });
  expect(Object.fromEntries(workflow.tasks.map((task) => [task.name, task.needs]))).toEqual(needs);
  expect(workflow.schedules).toMatchObject([{ name: 'nightly', cron: '0 2 * * *' }]);
}

/** Walks the graph by arrow keys to a task. */
export async function walkTo(page: Page, name: string): Promise<void> {
  const proxy = page.getByRole('region', { name: /^Graph of/ }).getByRole('button', { name: / task, / });
  await proxy.waitFor();
  await proxy.focus();
  const ways = ['', 'R', 'RR', 'RRD', 'RRU', 'RRR', 'RRRD', 'RRRU', 'D', 'DD', 'U', 'RD', 'RU'];
  const seen: string[] = [];
  // The next key begins from the box of the last, which is drawn by then.
  const press = async (key: string) => {
    await page.keyboard.press(key);
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
  };
  for (const way of ways) {
    await press('Home');
    for (const step of way) await press({ R: 'ArrowRight', D: 'ArrowDown', U: 'ArrowUp' }[step] ?? 'Home');
    const label = (await proxy.getAttribute('aria-label')) ?? '';
    if (label.startsWith(`${name}, `)) return;
    seen.push(`${way}: ${label.split(',')[0]}`);
  }
  throw new Error(`no way leads to ${name}; ${seen.join(' · ')}`);
}
