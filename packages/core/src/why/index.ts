/** Explanations of states: reasons as codes with fields, and their words. */
export type { QueuePlace, RunReason, Standing, TaskReason, WhyReason } from './reasons.ts';
export { sentence, type WhySentence } from './sentence.ts';
