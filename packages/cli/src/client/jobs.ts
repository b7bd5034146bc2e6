/** `orrery jobs`: elastic jobs in the registries that the server knows. */
import type { Answer } from '@orrery/contract';
import { InvalidInput } from '@orrery/core/errors';
import { type Connection, connect, numberOf } from './connect.ts';
import { faint, fromNow, printJson, stateText, table } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** Lists them. */
export async function listJobs(options: Options): Promise<void> {
  const answer = await connect(options).listJobs();
  if (options.json) return printJson(answer);
  for (const { name, error } of answer.centers) if (error !== null) console.error(`${name}: ${error}`);
  if (answer.centers.length === 0)
    return console.log('the server knows no elastic jobs; start it with --jobs NAMESPACE=URL');
  if (answer.jobs.length === 0) return console.log('no jobs');
  console.log(
    table(
      ['JOB', 'STATUS', 'CRON', 'SHARDS', 'RUNNING', 'INSTANCES'],
      answer.jobs.map((job) => [
        `${job.center}/${job.name}`,
        stateText(job.status),
        job.cron ?? '-',
        String(job.shards),
        String(job.running),
        String(job.instances),
      ]),
    ),
  );
  for (const { center, name, fault } of answer.jobs)
    if (fault !== null) console.log(`${center}/${name}: ${fault}`);
}

/** Events of its past that a job is shown with. */
const EVENTS_SHOWN = 10;

/** Shows one: its instances, why its shards are where they are, and what it did last. */
export async function showJob(job: string, options: Options): Promise<void> {
  const client = connect(options);
  const answer = await client.showJob(nameOf(job));
  const { events } = await client.listJobHistory({ ...nameOf(job), limit: EVENTS_SHOWN });
  if (options.json) return printJson({ ...answer, history: events });
  const { center, name, status, cron, timezone, shards, running, mark, divisions, instanceList } = answer;
  const when = cron === null ? 'when triggered' : `${cron} ${timezone}`;
  console.log(faint(`${center}/${name}: ${status}, ${when}, ${shards} shards, ${running} running`));
  for (const fault of answer.faults) console.log(`cannot read ${fault}`);
  if (mark) console.log(`to be divided again since ${fromNow(mark.since)}: ${mark.reasons.join('; ')}`);
  const [latest] = divisions;
  if (latest)
    console.log(`divided ${fromNow(latest.at)}, ${latest.moved} moved: ${latest.reasons.join('; ')}`);
  if (answer.disabledServers.length > 0)
    console.log(`disabled servers: ${answer.disabledServers.join(', ')}`);
  if (instanceList.length === 0) console.log('no instance is there');
  else printInstances(instanceList);
  if (!answer.isRecorded)
    return console.log(faint('no history: entries of ElasticJob have no room for results'));
  if (events.length > 0) printEvents(events);
}

function printInstances(instanceList: Answer<'showJob'>['instanceList']): void {
  console.log(
    table(
      ['INSTANCE', 'SHARDS', 'RUNNING', 'SINCE', 'LAST ROUND'],
      instanceList.map((one) => [
        `${one.id}${one.isLeader ? ' (leader)' : ''}${one.disabled ? ' (disabled)' : ''}`,
        String(one.shards.length),
        String(one.running.length),
        fromNow(one.since),
        lastText(one.last),
      ]),
    ),
  );
  for (const { last } of instanceList)
    for (const { shard, error } of last?.failed ?? []) console.log(`shard ${shard} failed: ${error}`);
}

/** Shows the shards of one. */
export async function showShards(job: string, options: Options): Promise<void> {
  const { shardList } = await connect(options).showJob(nameOf(job));
  if (options.json) return printJson({ shardList });
  console.log(
    table(
      ['SHARD', 'PARAMETER', 'STATE', 'OWNER', 'RUNS ON'],
      shardList.map(({ shard, parameter, state, owner, runner }) => [
        String(shard),
        parameter || '-',
        stateText(state),
        owner ?? '-',
        runner ?? '-',
      ]),
    ),
  );
}

/** Asks for a round now. */
export async function triggerJob(
  job: string,
  options: Options & { readonly instance?: string; readonly parameter?: string },
): Promise<void> {
  const { instance, parameter } = options;
  const answer = await connect(options).triggerJob({ ...nameOf(job), body: { instance, parameter } });
  if (options.json) return printJson(answer);
  console.log(`${job}: asked ${answer.instances.join(', ')}`);
}

/** Disables or enables a job, a server or a shard. */
export async function switchJob(
  verb: 'disable' | 'enable',
  job: string,
  options: Options & { readonly server?: string; readonly shard?: string },
): Promise<void> {
  const { server } = options;
  const shard = options.shard === undefined ? undefined : numberOf(options.shard, 'a shard', 0);
  const input = { ...nameOf(job), body: { server, shard } };
  const client = connect(options);
  const answer = await (verb === 'disable' ? client.disableJob(input) : client.enableJob(input));
  if (options.json) return printJson(answer);
  const what =
    server !== undefined ? `server ${server} of ` : shard !== undefined ? `shard ${shard} of ` : '';
  console.log(`${what}${job} is ${verb}d`);
}

/** Shows the settings of a job, or changes some. */
export async function configureJob(
  job: string,
  options: Options & { readonly set?: Readonly<Record<string, string>>; readonly unset?: readonly string[] },
): Promise<void> {
  const { set = {}, unset = [] } = options;
  const changes = { ...set, ...Object.fromEntries(unset.map((key) => [key, null])) };
  const client = connect(options);
  const answer =
    Object.keys(changes).length === 0
      ? await client.showJob(nameOf(job))
      : await client.configureJob({ ...nameOf(job), body: asSettings(changes) });
  if (options.json) return printJson(answer.config);
  for (const [key, value] of Object.entries(answer.config).sort())
    console.log(`${key}: ${JSON.stringify(value)}`);
}

/** Prints every registry entry of a job. */
export async function dumpJob(job: string, options: Options): Promise<void> {
  const { entries } = await connect(options).dumpJob(nameOf(job));
  if (options.json) return printJson({ entries });
  for (const { path, value } of entries) console.log(`${path} | ${value}`);
}

/** Ends the part of instances in a job. */
export async function stopJob(job: string, options: Options & { readonly instance?: string }): Promise<void> {
  const answer = await connect(options).stopJob({ ...nameOf(job), body: { instance: options.instance } });
  if (options.json) return printJson(answer);
  console.log(`${job}: asked ${answer.instances.join(', ') || 'nobody; no instance is there'}`);
}

/** Deletes a job without instances. */
export async function deleteJob(job: string, options: Options): Promise<void> {
  await connect(options).deleteJob(nameOf(job));
  if (options.json) return printJson({ deleted: job });
  console.log(`${job} is deleted`);
}

function nameOf(text: string): { center: string; job: string } {
  const [, center, job] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (center === undefined) throw new InvalidInput(`"${text}" is no job; write NAMESPACE/JOB`);
  return { center, job };
}

/** Texts of the command line as JSON has them, where that makes a number or a flag. */
function asSettings(changes: Readonly<Record<string, string | null>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(changes).map(([key, value]) => [
      key,
      value === 'true' || value === 'false' ? value === 'true' : key === 'shards' ? Number(value) : value,
    ]),
  );
}

function printEvents(events: Answer<'listJobHistory'>['events']): void {
  console.log(
    table(
      ['WHEN', 'WHAT', 'INSTANCE', 'SHARDS', 'RESULT'],
      events.map((event) => [
        fromNow(event.at),
        event.cause ?? event.kind,
        event.instance ?? '-',
        event.shards ?? '-',
        eventText(event),
      ]),
    ),
  );
}

function eventText(event: Answer<'listJobHistory'>['events'][number]): string {
  const { kind, succeeded, failures, moved, reasons, unseen } = event;
  const missing = unseen === 0 ? '' : ` (${unseen} before it not recorded)`;
  if (kind === 'reshard') return `${moved} moved: ${reasons.join('; ')}${missing}`;
  return `${succeeded} succeeded, ${failures} failed${missing}`;
}

function lastText(last: Answer<'showJob'>['instanceList'][number]['last']): string {
  return last === null ? '-' : `${fromNow(last.at)}: ${last.succeeded} succeeded, ${last.failures} failed`;
}
