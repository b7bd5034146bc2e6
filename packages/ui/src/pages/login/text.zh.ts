/** What the page says, in Chinese. */
import type { loginText as english } from './text.en.ts';

export const loginText: Readonly<Record<keyof typeof english, string>> = {};
