/**
 * Pages that are not there yet, each with where its address leads meanwhile: to the nearest page there is. The server,
 * the command line and every link use the addresses as they will be; a page that comes takes its line out of here and
 * puts one into `routes.tsx`.
 */
import { call } from '../data/client.ts';
import { addressOfId, runsAddress } from './addresses.ts';

/** Where an address leads, from its parts; null where there is nothing. */
export type Lead = (parts: Readonly<Record<string, string | undefined>>) => Promise<string | null>;

/** By the form of the address. */
export const standIns: Readonly<Record<string, Lead>> = {
  '/workflows/$project/$name/runs': async ({ project, name }) =>
    runsAddress({ workflow: `${project}/${name}` }),
};

/** `/go/ID`: an id of any kind leads to its page. For an unknown id, the page of its form reports that. */
export const leadById: Lead = async ({ _splat: id = '' }) => {
  if (id.trim() === '') return null;
  const { exact } = await call('search', { q: id });
  return exact?.address ?? addressOfId(id);
};
