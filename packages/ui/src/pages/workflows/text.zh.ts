/** What the page says, in Chinese. */
import type { workflowsText as english } from './text.en.ts';

export const workflowsText: Readonly<Record<keyof typeof english, string>> = {};
