/** Accessibility as a machine can judge it: every rule of WCAG 2.0 to 2.2, levels A and AA, none switched off. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What breaks a rule, a line each: the rule and the element. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    (values) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, { runOnly: { type: 'tag', values } }),
    tags,
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
