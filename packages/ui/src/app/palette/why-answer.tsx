/** What `why ID` answers in the palette: the reason, or that nothing has this id. */
import { useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { WhyLine } from '../../parts/why-line.tsx';

export function WhyAnswer({ id }: { id: string }) {
  const text = useText();
  const { data, error, failureCount } = useApi('explain', { id });
  if (data) return <WhyLine id={id} />;
  const said = error ? 'palette.noWhy' : failureCount > 0 ? 'palette.failed' : 'palette.looking';
  return <p role="status">{text(said, { id })}</p>;
}
