/** What the server says, in Chinese: a table with the same keys as the English one in `core`. */
import type { TextCode } from '@orrery/sdk/client';
import { actionTexts } from './actions.zh.ts';
import { needTexts } from './needs.zh.ts';
import { refusalTexts } from './refusals.zh.ts';
import { valueTexts } from './values.zh.ts';
import { fileTexts } from './workflow-files.zh.ts';

export { titles } from './titles.zh.ts';

export const serverTexts: Readonly<Record<TextCode, string>> = {
  ...actionTexts,
  ...refusalTexts,
  ...needTexts,
  ...valueTexts,
  ...fileTexts,
};
