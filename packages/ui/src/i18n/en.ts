/** Every English message. A page brings its own in `text.en.ts` and is joined here. */
import { shellText } from '../app/text.en.ts';
import { alertsText } from '../pages/alerts/text.en.ts';
import { backfillsText } from '../pages/backfills/text.en.ts';
import { clusterText } from '../pages/cluster/text.en.ts';
import { editorText } from '../pages/editor/text.en.ts';
import { groupsText } from '../pages/groups/text.en.ts';
import { homeText } from '../pages/home/text.en.ts';
import { jobsText } from '../pages/jobs/text.en.ts';
import { logText } from '../pages/log/text.en.ts';
import { loginText } from '../pages/login/text.en.ts';
import { runText } from '../pages/run/text.en.ts';
import { runsText } from '../pages/runs/text.en.ts';
import { schedulesText } from '../pages/schedules/text.en.ts';
import { settingsText } from '../pages/settings/text.en.ts';
import { workflowText } from '../pages/workflow/text.en.ts';
import { workflowsText } from '../pages/workflows/text.en.ts';
import { partsText } from '../parts/text.en.ts';

export const english = {
  ...partsText,
  ...shellText,
  ...loginText,
  ...homeText,
  ...workflowsText,
  ...workflowText,
  ...editorText,
  ...schedulesText,
  ...groupsText,
  ...clusterText,
  ...jobsText,
  ...settingsText,
  ...alertsText,
  ...backfillsText,
  ...runText,
  ...runsText,
  ...logText,
};

/** The key of a message. */
export type Key = keyof typeof english;
