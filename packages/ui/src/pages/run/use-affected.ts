/** The tasks that a control would run again, from a dry run on the server. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../data/client.ts';
import type { AgainRequest } from '../../model/again.ts';

/** The tasks, by name, and how many there are in all: the server names the first 1,000. */
export interface Affected {
  readonly names: readonly string[];
  readonly count: number;
}

/** Asks while there is something to ask. */
export function useAffected(run: number, request: AgainRequest | undefined) {
  return useQuery<Affected>({
    queryKey: ['affected', run, request],
    enabled: request !== undefined,
    staleTime: 0,
    // An old answer is not shown while the server is asked again.
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { would } = await (request?.operation === 'rerun'
        ? call('rerunRun', { id: run, body: { ...rerunBody(request), dryRun: true } }, { signal })
        : call('recoverRun', { id: run, body: { dryRun: true } }, { signal }));
      const again = would?.effects.find(({ what }) => what === 'again');
      return { names: again?.tasks ?? [], count: again?.count ?? 0 };
    },
  });
}

/** The body of a rerun. */
export function rerunBody({ scope }: Extract<AgainRequest, { operation: 'rerun' }>) {
  return { scope: { kind: scope.kind, tasks: [...scope.tasks] } };
}
