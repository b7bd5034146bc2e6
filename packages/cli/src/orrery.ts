/** What `import … from 'orrery-scheduler'` gives: workflows in TypeScript and the client of the API. */
export * from '@orrery/sdk';
