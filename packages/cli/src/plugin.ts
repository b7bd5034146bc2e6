/** What `import … from 'orrery/plugin'` gives: the contract of task types. */
export * from '@orrery/worker/plugin';
