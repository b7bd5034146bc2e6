/** What can be done with an elastic job, and why not what cannot. */
import type { Action } from '@orrery/contract';
import { said } from '@orrery/core/texts';
import type { JobDetails } from '@orrery/elastic/board';
import { action } from '../workflows/actions.ts';

export function jobActions({ status, instanceList, isRecorded }: JobDetails): Action[] {
  const nobody = instanceList.length === 0 ? said('job.noInstance') : undefined;
  const java = instanceList.some(({ language }) => language === 'java');
  return [
    action('trigger-job', nobody),
    action('trigger-with-parameter', nobody ?? (!isRecorded && java ? said('job.javaParameter') : undefined)),
    action('disable-job', status === 'disabled' ? said('job.disabled') : undefined),
    action('enable-job', status === 'disabled' ? undefined : said('job.notDisabled')),
    // Shards and servers can be switched in any state of the job.
    action('switch-shard'),
    action('configure-job'),
    action('stop-job', nobody),
    action('delete-job', nobody === undefined ? said('job.hasInstances') : undefined),
  ];
}
