/** `/go/:id`: any id of any kind leads to its page. What the command line, alerts and log lines print. */
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { addressOfId } from './addresses.ts';
import { useGo } from './link.tsx';
import { NotFound } from './not-found.tsx';

export function Go() {
  const { _splat: id = '' } = useParams({ strict: false });
  const go = useGo();
  const address = addressOfId(id);
  useEffect(() => {
    if (address) go(address, { replace: true });
  }, [address, go]);
  return address ? null : <NotFound />;
}
