/** A bar that offers to reload when the server brings a newer console than the one in this tab. Nothing is lost. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { base } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './shell.module.css';

const EVERY = 60_000;

/** The script that the server's page starts with; its name changes with its content. */
async function servedBuild(): Promise<string | null> {
  const answer = await fetch(`${base}/`, { cache: 'no-cache', headers: { accept: 'text/html' } });
  return /assets\/index-[\w-]+\.js/.exec(await answer.text())?.[0] ?? null;
}

const ownBuild = /assets\/index-[\w-]+\.js/.exec(import.meta.url)?.[0] ?? null;

export function NewBuildBar() {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['served build'],
    queryFn: servedBuild,
    enabled: ownBuild !== null,
    staleTime: EVERY,
    refetchInterval: EVERY,
    refetchOnWindowFocus: true,
    retry: false,
  });
  if (ownBuild === null || data === undefined || data === null || data === ownBuild) return null;
  return (
    <div className={styles.bar} role="status">
      {text('build.new')}
      <Button variant="filled" onClick={() => location.reload()}>
        {text('build.reload')}
      </Button>
    </div>
  );
}
