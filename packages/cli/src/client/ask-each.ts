/**
 * Requests the same change for several things, one by one. A refusal is printed and makes the command fail.
 */
import { ApiProblem } from '@orrery/sdk/client';
import { printJson } from './output.ts';

/** What every change may say besides. */
export interface AskOptions {
  readonly json?: boolean;
  readonly reason?: string;
  readonly dryRun?: boolean;
}

/** The server's answer to a change. */
interface Asked {
  readonly would: {
    readonly effects: readonly { readonly what: string; readonly count: number }[];
    readonly kept: number;
  } | null;
}

/** The part of a request that these options are. */
export function askBody({ reason, dryRun }: AskOptions): { reason?: string; dryRun?: boolean } {
  return { ...(reason !== undefined && { reason }), ...(dryRun && { dryRun }) };
}

/** Requests a change of each subject, printed as `what`, such as `run 12`. */
export async function askEach<T>(
  change: string,
  subjects: readonly { readonly id: T; readonly what: string }[],
  ask: (id: T) => Promise<Asked>,
  { json, dryRun }: AskOptions,
): Promise<void> {
  const results: object[] = [];
  for (const { id, what } of subjects) {
    try {
      const { would } = await ask(id);
      results.push({ subject: what, change, requested: !dryRun, ...(would && { would }) });
      if (json) continue;
      console.log(
        would ? `${change} of ${what} would ${wouldText(would)}` : `${change} of ${what} requested`,
      );
    } catch (error) {
      if (!(error instanceof ApiProblem && error.kind === 'conflict')) throw error;
      process.exitCode = 1;
      results.push({ subject: what, change, requested: false, reason: error.message });
      if (!json) console.error(`${change} of ${what} refused: ${error.message}`);
    }
  }
  if (json) printJson({ results });
}

const words: Readonly<Record<string, string>> = {
  again: 'run again',
  kill: 'kill',
  hold: 'hold',
  'go-on': 'let go on',
  force: 'count as succeeded',
  skip: 'skip',
};

function wouldText({ effects, kept }: NonNullable<Asked['would']>): string {
  const tasks = (count: number) => (count === 1 ? '1 task' : `${count} tasks`);
  const parts = effects.map(({ what, count }) => `${words[what] ?? what} ${tasks(count)}`);
  return `${parts.length === 0 ? 'change nothing' : parts.join(', ')}; ${tasks(kept)} would stay as ${kept === 1 ? 'it is' : 'they are'}`;
}
