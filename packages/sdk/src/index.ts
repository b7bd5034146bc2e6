/** What users import: the client of the API with live changes, and workflows defined in TypeScript. */
export * from './client/index.ts';
export * from './workflow/index.ts';
