/** Accessibility as a machine can judge it: every rule of WCAG 2.0 to 2.2, levels A and AA, none switched off. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * What breaks a rule, a line each: the rule and the element. Only that is put together and handed over: to describe
 * everything that breaks none takes longer than to look at it.
 */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (values) => {
    const inPage = (globalThis as unknown as { axe: typeof axe }).axe;
    const found = await inPage.run(document, {
      runOnly: { type: 'tag', values },
      resultTypes: ['violations'],
    });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, tags);
}
