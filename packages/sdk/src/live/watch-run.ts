/** A run as it goes on: its state now, then again after every change, until it has ended. Nothing is missed. */
import { seqHeader } from '@orrery/contract/live';
import { isFinal, runMachine } from '@orrery/core/state';
import type { AnswerOf, Client } from '../client/client.ts';
import { watch } from './watch.ts';

/** A run as `showRun` answers; its task runs are those of `listTasks`. */
export type WatchedRun = AnswerOf<'showRun'>;

/**
 * Yields a run whenever it has changed; the last one has ended. Changes that come while the caller is busy with one
 * are seen together. After a rerun of an ended run, watch again.
 */
export async function* watchRun(
  client: Client,
  id: number,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<WatchedRun, void> {
  let after: string | undefined;
  const onHeaders = (headers: Headers) => {
    after ??= headers.get(seqHeader) ?? undefined;
  };
  const read = () => client.showRun({ id }, { signal, onHeaders });
  let run = await read();
  yield run;
  if (hasEnded(run)) return;
  for await (const { kind } of watch(client, [`run:${id}`], { after, signal })) {
    // The first greeting tells of nothing that the snapshot before it does not show or the frames after it will.
    if (kind === 'hello') continue;
    const now = await read();
    if (JSON.stringify(now) === JSON.stringify(run)) continue;
    run = now;
    yield run;
    if (hasEnded(run)) return;
  }
}

function hasEnded({ state }: WatchedRun): boolean {
  return state !== 'queued' && isFinal(runMachine, state);
}
