/** What Home says needs people. */
export const needTexts = {
  'need.noMaster': 'no master is alive: nothing starts, {queued} runs are queued',
  'need.noWorker': 'worker group {group} has no live worker: {waiting} attempts wait, {since}',
  'need.noneEver': 'none has ever joined',
  'need.noneSince': 'none is alive since {last}',
  'need.notTaken':
    '{waiting} attempts of worker group {group} wait although {workers} of its workers have free slots',
  'need.nodeMissing': '{role} {node} is {state} since {since}',
  'need.nodeUnhealthy': 'worker {node} takes no work: {reason}',
  'need.clockOff':
    'the clock of {node} is {offset} ms {side, select, ahead {ahead of the database} other {behind the database}}',
  'need.clockFault': 'the clock of {node} is not trusted: {fault}',
  'need.claimAlarm': '{node} holds {held} schedules, the alarm is above {above}',
  'need.limitFull': '{limit} is full ({held} of {slots}): {waiting} wait',
  'need.failed': '{what} failed{often}{because}',
  'need.times': ' {times} times',
  'need.because': ': {error}',
  'need.task': '{workflow}: {task}',
  'need.approval':
    '{workflow}: {task} waits for {count, plural, one {an answer} other {{count} answers}}: {question}',
  'need.lateTick': 'schedule {schedule}{others} was due at {due} and has not fired: {why}',
  'need.others': ' and {count} more',
  'need.noMasterEver': 'no master has joined',
  'need.noMasterSince': 'no master is alive since {heard}',
  'need.masterSilent': 'master {node} is silent since {heard}',
  'need.mastersBehind': 'masters are alive, but behind',
  'need.skippedTicks':
    'schedule {schedule} of {workflow} skipped {count, plural, one {1 tick} other {{count} ticks}}: {reason}',
  'need.undelivered':
    '{count, plural, one {1 message} other {{count} messages}} about alerts could not be delivered; last to {channel}: {answer}',
  'need.jobIdle': 'elastic job {job} has no instance: nothing runs it',
  'need.jobUnowned': 'elastic job {job} has {count} of {shards} shards without an owner',
  'need.deadline': '{text}{count, plural, one {} other {; {count} days in all}}{workflow, select, other {}}',
  'need.overtime': '{workflow}: {count, plural, one {{text}} other {{count} runs exceed their time limit}}',
  'need.broken': '{what} was set aside{often}{because}',
} as const;
