/** What can be done with an elastic job, and why not what cannot. */
import type { Action } from '@orrery/contract';
import type { JobDetails } from '@orrery/elastic/board';
import { action } from '../workflows/actions.ts';

export function jobActions({ status, instanceList, isRecorded }: JobDetails): Action[] {
  const nobody = instanceList.length === 0 ? 'it has no instance' : undefined;
  const java = instanceList.some(({ language }) => language === 'java');
  return [
    action('trigger-job', nobody),
    action(
      'trigger-with-parameter',
      nobody ?? (!isRecorded && java ? 'its Java instances take no parameter' : undefined),
    ),
    action('disable-job', status === 'disabled' ? 'it is disabled' : undefined),
    action('enable-job', status === 'disabled' ? undefined : 'it is not disabled'),
    // Also a server; whatever the job's own state is.
    action('switch-shard'),
    action('configure-job'),
    action('stop-job', nobody),
    action('delete-job', nobody === undefined ? 'it has instances; stop them first' : undefined),
  ];
}
