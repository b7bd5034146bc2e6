/** Every English message. A page brings its own in `text.en.ts` and is joined here. */
import { shellText } from '../app/text.en.ts';
import { homeText } from '../pages/home/text.en.ts';
import { logText } from '../pages/log/text.en.ts';
import { loginText } from '../pages/login/text.en.ts';
import { runText } from '../pages/run/text.en.ts';
import { runsText } from '../pages/runs/text.en.ts';
import { workflowsText } from '../pages/workflows/text.en.ts';
import { partsText } from '../parts/text.en.ts';

export const english = {
  ...partsText,
  ...shellText,
  ...loginText,
  ...homeText,
  ...workflowsText,
  ...runText,
  ...runsText,
  ...logText,
};

/** The key of a message. */
export type Key = keyof typeof english;
