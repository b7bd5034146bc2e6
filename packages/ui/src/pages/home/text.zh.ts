/** What the page says, in Chinese. */
import type { homeText as english } from './text.en.ts';

export const homeText: Readonly<Record<keyof typeof english, string>> = {};
