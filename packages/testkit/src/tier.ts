/** How much a test does depends on the tier that runs it: `npm run test:full` sets ORRERY_TEST_FULL. */

export const isFull = process.env.ORRERY_TEST_FULL === '1';

/** Fixed seeds from `first`; in the full tier more of them, from the number in ORRERY_TEST_SEED. */
export function seeds(few: number, many: number, first = 1): number[] {
  const start = isFull ? Number(process.env.ORRERY_TEST_SEED ?? first) : first;
  return Array.from({ length: isFull ? many : few }, (_, k) => start + k);
}
