/** A bar that offers to reload when the server brings a newer console than the one in this tab. Nothing is lost. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { base } from '../../data/client.ts';
import { ownBuild } from '../../data/newer-build.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './shell.module.css';

const EVERY = 60_000;

/** The script that the server's page starts with now. */
async function servedBuild(): Promise<string> {
  const answer = await fetch(`${base}/`, { cache: 'no-cache', headers: { accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const source = page.querySelector('script[type="module"]')?.getAttribute('src') ?? '';
  return source === '' ? '' : new URL(source, `${base}/`).href;
}

export function NewBuildBar() {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['served build'],
    queryFn: servedBuild,
    staleTime: EVERY,
    refetchInterval: EVERY,
    refetchOnWindowFocus: true,
    retry: false,
  });
  if (data === undefined || data === '' || data === ownBuild) return null;
  return (
    <div className={styles.bar} role="status">
      {text('build.new')}
      <Button variant="filled" onClick={() => location.reload()}>
        {text('build.reload')}
      </Button>
    </div>
  );
}
