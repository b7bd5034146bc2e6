/** What `import … from 'orrery'` gives: workflows in TypeScript and the client of the API. */
export * from '@orrery/sdk';
