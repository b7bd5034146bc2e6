import { useState } from 'react';
import { useAction } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { notify } from '../../parts/notices.tsx';
import { actionOf, type Need } from './need.ts';

/** Carries out a need's action on its runs, and reports the request. */
export interface Recover {
  run(need: Need): void;
  /** The need whose recovery is in flight. */
  readonly pending: string | undefined;
}

export function useRecover(): Recover {
  const text = useText();
  const act = useAction('createBulk', ['showOverview', 'listWorkflows']);
  const [asked, setAsked] = useState<string>();
  return {
    pending: act.isPending ? asked : undefined,
    run(need) {
      const { action, id } = need;
      if (!action || act.isPending || actionOf(need, action.name)?.allowed === false) return;
      setAsked(id);
      act.mutate(
        { body: { action: action.name as 'recover', ids: action.ids } },
        {
          onSuccess: ({ bulk }) =>
            bulk && notify(text('home.asked', { count: bulk.total, bulk: String(bulk.id) }), 'good'),
          onError: (error) => notify(error, 'bad'),
        },
      );
    },
  };
}
