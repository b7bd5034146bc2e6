/** What needs someone and how much is going on, for Home and the badges of the navigation. */
import { useApi } from './api.ts';

/**
 * Some needs arise only from the passing of time, such as a silent master: no event reports them, so the
 * overview is polled.
 */
const LOOK_EVERY = 5_000;

/** The overview of all projects or one; while another project loads, the previous overview stays. */
export function useOverview(project?: string) {
  return useApi('showOverview', { project }, { every: LOOK_EVERY, keep: true });
}
