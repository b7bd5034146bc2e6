/** Every English message. A page brings its own in `text.en.ts` and is joined here. */
import { shellText } from '../app/text.en.ts';
import { homeText } from '../pages/home/text.en.ts';
import { loginText } from '../pages/login/text.en.ts';
import { workflowsText } from '../pages/workflows/text.en.ts';
import { partsText } from '../parts/text.en.ts';

export const english = { ...partsText, ...shellText, ...loginText, ...homeText, ...workflowsText };

/** The key of a message. */
export type Key = keyof typeof english;
