/**
 * Pages that are not there yet, each with where its address leads meanwhile: to the nearest page there is. The server,
 * the command line and every link use the addresses as they will be; a page that comes takes its line out of here and
 * puts one into `routes.tsx`.
 */
import { call } from '../data/client.ts';
import { addressOfId, runsAddress } from './addresses.ts';

/** Where an address leads, from its parts; null where there is nothing. */
export type Lead = (parts: Readonly<Record<string, string | undefined>>) => Promise<string | null>;

const home: Lead = async () => '/';

/** By the form of the address. */
export const standIns: Readonly<Record<string, Lead>> = {
  '/workflows/$project/$name': async ({ project, name }) => runsAddress({ workflow: `${project}/${name}` }),
  '/schedules': async () => '/workflows',
  '/schedules/$id': async ({ id }) => {
    const { project, workflow } = await call('showSchedule', { id: Number(id) });
    return runsAddress({ workflow: `${project}/${workflow}`, trigger: 'tick' });
  },
  '/backfills': async () => runsAddress({ kind: 'backfill' }),
  '/backfills/$id': async ({ id }) => runsAddress({ backfill: id }),
  '/cluster': home,
  '/cluster/nodes/$id': async ({ id }) => {
    const { masters, workers } = await call('listNodes', {});
    if (workers.some((worker) => worker.id === id)) return runsAddress({ worker: id });
    return masters.some((master) => master.id === id) ? runsAddress({ owner: id }) : null;
  },
  '/groups': home,
  '/groups/workers/$name': home,
  '/groups/tasks/$project/$name': home,
};

/** `/go/ID`: an id of any kind leads to its page; what the server does not know is told by the page of its form. */
export const leadById: Lead = async ({ _splat: id = '' }) => {
  if (id.trim() === '') return null;
  const { exact } = await call('search', { q: id });
  return exact?.address ?? addressOfId(id);
};
