/** `orrery backfill`: runs a workflow over business times; with `--wait`, ends as that ends. */
import type { AnswerOf, InputOf } from '@orrery/sdk/client';
import { type Connection, connect, numberOf } from './connect.ts';
import { faint, printJson, stateText, timeText, took } from './output.ts';
import { printed } from './printed.ts';
import { waitForEnd } from './wait.ts';

/** What the command was given. */
export interface BackfillOptions extends Connection {
  readonly from?: string;
  readonly to?: string;
  readonly times?: readonly string[];
  readonly schedule?: string;
  readonly cron?: string;
  readonly every?: string;
  readonly tz?: string;
  readonly parallel?: string;
  readonly order?: string;
  readonly onFailure?: string;
  readonly downstream?: boolean;
  readonly latest?: boolean;
  readonly param?: Readonly<Record<string, string>>;
  readonly priority?: string;
  readonly key?: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
}

/** Business times that people are shown of a dry run. */
const SHOWN = 20;

/** Runs the command. */
export async function backfill(workflow: string, options: BackfillOptions): Promise<void> {
  const client = connect(options);
  const { json, wait } = options;
  const started = await client.startBackfill({
    body: bodyOf(workflow, options),
    idempotencyKey: options.key,
  });
  if (started.id === null) return json ? printJson(started) : console.log(dryRunText(started));
  if (!wait) {
    if (json) printJson(started);
    else
      console.log(
        `run ${started.id} ${stateText(started.state ?? '')}: ${sizeText(started)}${faint(`; see "${printed(`runs show ${started.id}`, options)}"`)}`,
      );
    return;
  }
  if (!json) console.log(`run ${started.id} ${stateText(started.state ?? '')}: ${sizeText(started)}`);
  const ended = await waitForEnd(client, started.id, {
    taskEnded: ({ state, reason }) => {
      if (!json && state !== 'success' && reason) console.log(`  ${reason}`);
    },
    stillWaiting: (why) => console.error(faint(`  ${why}`)),
  });
  process.exitCode = ended.state === 'success' ? 0 : 1;
  if (json) return printJson(await client.showRun({ id: started.id }));
  console.log(
    `run ${ended.id} ${stateText(ended.state)} after ${took(ended.startedAt ?? ended.createdAt, ended.endedAt, ended.idle)}`,
  );
}

type Body = InputOf<'startBackfill'>['body'];
type Started = AnswerOf<'startBackfill'>;

function bodyOf(workflow: string, options: BackfillOptions): Body {
  const { from, to, times, schedule, cron, every, parallel } = options;
  return {
    workflow,
    from,
    to,
    times: times?.flatMap((text) => text.split(',')),
    schedule,
    cron,
    every,
    timezone: options.tz,
    parallel: parallel === undefined ? undefined : numberOf(parallel, 'a number of runs'),
    // The server, which knows the valid words, reports invalid ones.
    order: options.order as Body['order'],
    onFailure: options.onFailure as Body['onFailure'],
    priority: options.priority as Body['priority'],
    includeDownstream: options.downstream,
    version: options.latest ? 'latest' : undefined,
    params: options.param,
    dryRun: options.dryRun,
    trigger: 'manual',
  };
}

function sizeText({ count, runs, workflows }: Started): string {
  const times = `${count} business time${count === 1 ? '' : 's'}`;
  return runs === count ? times : `${times}, ${runs} runs of ${workflows.join(', ')}`;
}

function dryRunText(answer: Started): string {
  const { times, count } = answer;
  const more = count > SHOWN ? [faint(`… and ${count - SHOWN} more; use --json`)] : [];
  return [sizeText(answer), ...times.slice(0, SHOWN).map((time) => timeText(time)), ...more].join('\n');
}
