/** Every Chinese message. A page brings its own in `text.zh.ts`, checked against its English, and is joined here. */
import { shellText } from '../app/text.zh.ts';
import { alertsText } from '../pages/alerts/text.zh.ts';
import { backfillsText } from '../pages/backfills/text.zh.ts';
import { clusterText } from '../pages/cluster/text.zh.ts';
import { editorText } from '../pages/editor/text.zh.ts';
import { groupsText } from '../pages/groups/text.zh.ts';
import { homeText } from '../pages/home/text.zh.ts';
import { jobsText } from '../pages/jobs/text.zh.ts';
import { logText } from '../pages/log/text.zh.ts';
import { loginText } from '../pages/login/text.zh.ts';
import { runText } from '../pages/run/text.zh.ts';
import { runsText } from '../pages/runs/text.zh.ts';
import { schedulesText } from '../pages/schedules/text.zh.ts';
import { settingsText } from '../pages/settings/text.zh.ts';
import { workflowText } from '../pages/workflow/text.zh.ts';
import { workflowsText } from '../pages/workflows/text.zh.ts';
import { partsText } from '../parts/text.zh.ts';
import type { Key } from './en.ts';

export { chineseReason } from './reasons.zh.ts';
export { serverTexts, titles } from './server/zh.ts';

export const chinese: Readonly<Record<Key, string>> = {
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
