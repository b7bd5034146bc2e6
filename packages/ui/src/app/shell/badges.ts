/** How many things need someone, by the address of the page that shows them. */
import { useApi } from '../../data/api.ts';

export function useBadges(): Readonly<Record<string, number>> {
  const { data } = useApi('showOverview', {});
  if (!data) return {};
  const badges: Record<string, number> = { '/': data.needs.length + data.moreNeeds };
  for (const { address } of data.needs) {
    const page = `/${address.split(/[/?]/)[1] ?? ''}`;
    if (page !== '/') badges[page] = (badges[page] ?? 0) + 1;
  }
  return badges;
}
