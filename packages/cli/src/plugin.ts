/** What `import … from 'orrery-scheduler/plugin'` gives: the contract of task types. */
export * from '@orrery/worker/plugin';
