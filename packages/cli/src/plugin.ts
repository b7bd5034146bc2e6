/** The exports of `orrery-scheduler/plugin`: the contract of task types. */
export * from '@orrery/worker/plugin';
