/** Every English text, by its code. Each subject has its own table, merged here. */
import { actionTexts } from './actions.ts';
import { needTexts } from './needs.ts';
import { refusalTexts } from './refusals.ts';
import { valueTexts } from './values.ts';
import { fileTexts } from './workflow-files.ts';

export const english = {
  ...actionTexts,
  ...refusalTexts,
  ...needTexts,
  ...valueTexts,
  ...fileTexts,
} as const;
