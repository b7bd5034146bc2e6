/** Every English text, by its code. Each subject has its own table, merged here. */
import { actionTexts } from './actions.ts';
import { refusalTexts } from './refusals.ts';

export const english = {
  ...actionTexts,
  ...refusalTexts,
} as const;
