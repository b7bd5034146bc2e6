/** What users import: the client of the API with live changes. */
export * from './client/index.ts';
