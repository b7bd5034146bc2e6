/** How many things of the project one looks at need someone, by the address of the page that shows them. */
import { useOverview } from '../../data/overview.ts';
import { useProject } from '../use-project.ts';

export function useBadges(): Readonly<Record<string, number>> {
  const { data } = useOverview(useProject());
  if (!data) return {};
  const badges: Record<string, number> = { '/': data.needs.length + data.moreNeeds };
  for (const { address } of data.needs) {
    const page = `/${address.split(/[/?]/)[1] ?? ''}`;
    if (page !== '/') badges[page] = (badges[page] ?? 0) + 1;
  }
  return badges;
}
