/** Every text in English, by its code. A subject brings its own table and is joined here. */
import { actionTexts } from './actions.ts';
import { refusalTexts } from './refusals.ts';

export const english = {
  ...actionTexts,
  ...refusalTexts,
} as const;
