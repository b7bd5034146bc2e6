/** Texts for people: codes with fields, and their English. */
export { recognize } from './recorded.ts';
export { type Code, english, type Said, said, type Words } from './said.ts';
