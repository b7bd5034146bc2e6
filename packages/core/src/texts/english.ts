/** Every text in English, by its code. A subject brings its own table and is joined here. */
import { actionTexts } from './actions.ts';

export const english = {
  ...actionTexts,
} as const;
