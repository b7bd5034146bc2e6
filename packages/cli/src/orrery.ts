/** The exports of `orrery-scheduler`: workflows in TypeScript and the client of the API. */
export * from '@orrery/sdk';
