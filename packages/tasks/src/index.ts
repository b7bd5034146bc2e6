/** The task types that come with the product beside the worker's own. */
import type { Plugin } from '@orrery/worker/plugin';
import { commandTasks } from './command/index.ts';
import { connectionTestTask } from './connections/test-task.ts';
import { containerTask } from './container/task.ts';
import { probeHttp } from './http/probe.ts';
import { jobTask, probeJobs } from './job/task.ts';
import { kubernetesTask, probeKubernetes } from './kubernetes/task.ts';
import { mailTask, probeMail } from './mail/task.ts';
import type { Places } from './places.ts';
import { pythonTask } from './python/task.ts';
import { probeS3 } from './s3/probe.ts';
import { procedureTask } from './sql/procedure.ts';
import { Sessions } from './sql/sessions.ts';
import { sqlTask } from './sql/task.ts';
import { probeSsh, sshTask } from './ssh/task.ts';
import { waitTask } from './wait/task.ts';

/** Makes them for one worker. */
export function taskPlugins(places: Places): Plugin[] {
  const sessions = new Sessions(places.codeFolder);
  return [
    sqlTask(places, sessions),
    procedureTask(sessions),
    pythonTask(places),
    mailTask(places),
    sshTask(),
    containerTask(places),
    kubernetesTask(places),
    waitTask(places, sessions),
    jobTask(),
    connectionTestTask(places, sessions, {
      http: probeHttp(places),
      jobs: probeJobs,
      kubernetes: probeKubernetes(places),
      s3: probeS3(places),
      smtp: probeMail,
      ssh: probeSsh,
    }),
    ...commandTasks(),
  ];
}
