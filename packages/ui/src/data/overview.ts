/** What needs someone and how much is going on, for Home and the badges of the navigation. */
import { useApi } from './api.ts';

/** Some needs come about by time alone, as a master that falls silent: nothing tells of them, so it is looked. */
const LOOK_EVERY = 5_000;

/** The overview of all projects or one; while another project is asked for, the one before stays. */
export function useOverview(project?: string) {
  return useApi('showOverview', { project }, { every: LOOK_EVERY, keep: true });
}
