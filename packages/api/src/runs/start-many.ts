/** Starting many runs by one request: each has its own key and its own answer. */
import type { Answer, ReadInput } from '@orrery/contract';
import type { FastifyRequest } from 'fastify';
import { checkProject, withoutHints } from '../access/scope.ts';
import type { Context } from '../context.ts';
import { ownKey } from '../once.ts';
import { problemOf } from '../problem.ts';
import { findStartable, workflowName } from '../workflows/find.ts';
import { stateOf } from './read.ts';
import { startRun } from './start.ts';

type Verdict = Answer<'startRuns'>['results'][number];

/**
 * What became of each, in order. The store writes those that come together in one transaction. A list that names another
 * project than the caller's is refused as a whole.
 */
export async function startRuns(
  starts: ReadInput<'startRuns'>['body']['runs'],
  context: Context,
  { identity, id }: Pick<FastifyRequest, 'identity' | 'id'>,
): Promise<Verdict[]> {
  for (const { workflow } of starts) checkProject(identity, workflowName(workflow).project);
  const find = foundOnce();
  const start = async ({ key, ...asked }: (typeof starts)[number]): Promise<Verdict> => {
    const { run, repeated, counts } = await startRun(asked, ownKey(identity, key), context, { find });
    return { id: run, state: repeated ? await stateOf(context, run) : 'queued', repeated, counts };
  };
  return Promise.all(
    starts.map((asked) =>
      start(asked).catch((error): Verdict => {
        const { problem, defect } = problemOf(withoutHints(error, identity), id);
        if (defect) context.onDefect(error, id);
        return { problem };
      }),
    ),
  );
}

/** Reads each workflow once, however many of its runs are started. */
function foundOnce(): typeof findStartable {
  const found = new Map<string, ReturnType<typeof findStartable>>();
  return (store, name, kind, version) => {
    const key = JSON.stringify([name, version]);
    const known = found.get(key) ?? findStartable(store, name, kind, version);
    found.set(key, known);
    return known;
  };
}
