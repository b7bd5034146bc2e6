/** The last line of a log that is being written. */
import type { Context } from '../context.ts';
import type { LogPlace } from '../options.ts';

const MOST = 4_096;

/** Without a log, or where its worker cannot be asked, there is none. */
export async function lastLine({ logs }: Context, place: LogPlace): Promise<string | null> {
  const { size } = await logs.read(place, { offset: 0, limit: 1 });
  if (size === 0) return null;
  const { bytes } = await logs.read(place, { offset: Math.max(0, size - MOST), limit: MOST });
  const [last] = Buffer.from(bytes)
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-1);
  return last === undefined || last.startsWith('[orrery] ') ? null : last;
}
