/**
 * What instances of ElasticJob 3.0.5 wrote to ZooKeeper, as its transaction log has it, and what ours write, in one form:
 * a list of texts for each session, without what only that run had (namespace, name of the job, cron, latch ids).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One node that a request creates, sets or deletes. */
export interface WriteStep {
  readonly kind: 'persistent' | 'ephemeral' | 'container' | 'set' | 'delete';
  readonly path: string;
  readonly value: string;
}

/** A request that writes; a transaction has several steps. */
export interface WriteRequest {
  /** The writer: a session of the transcript, or a name of the stage. */
  readonly by: string;
  readonly steps: readonly WriteStep[];
}

/** A cron for compared jobs: it never fires, rounds are triggered. */
export const NEVER = '0 0 0 1 1 ? 2099';

const folder = join(import.meta.dirname, '../../fixtures/elasticjob-transcripts');
const LINE =
  /^(\d+| +) ?0x\w+ (s\w+) (MULTI|check|create \w+|createContainer|setData|delete)(?: (\S+))?(?: = '(.*)')?/;
const kinds: Readonly<Record<string, WriteStep['kind']>> = {
  'create PERSISTENT': 'persistent',
  'create EPHEMERAL': 'ephemeral',
  createContainer: 'container',
  setData: 'set',
  delete: 'delete',
};

/** The requests of a transcript: `txn-ns1-single-instance`. */
export function readTranscript(name: string): WriteRequest[] {
  const requests: { by: string; steps: WriteStep[] }[] = [];
  for (const line of readFileSync(join(folder, `${name}.txt`), 'utf8')
    .split('\n')
    .filter(Boolean)) {
    const found = LINE.exec(line);
    if (!found) throw new Error(`a line of ${name} that cannot be read: ${line}`);
    const [, time, by, verb, path = '', value = ''] = found;
    // Session 0 is the server, which removes containers that are empty.
    if (by === 's0' || verb === 'check') continue;
    if (verb === 'MULTI') requests.push({ by, steps: [] });
    else {
      const step = { kind: kinds[verb], path, value };
      if (time.trim() === '') requests.at(-1)?.steps.push(step);
      else requests.push({ by, steps: [step] });
    }
  }
  return requests;
}

/** The names of all transcripts. */
export function transcripts(): string[] {
  const names = readdirSync(folder).filter((name) => name.startsWith('txn-'));
  return names.map((name) => name.slice(0, -'.txt'.length));
}

/** The nodes of a tree that was dumped: path and value of each. */
export function readTree(name: string): string[] {
  const lines = readFileSync(join(folder, `${name}.txt`), 'utf8')
    .split('\n')
    .filter(Boolean);
  return lines.map((line) => general(line.replace(/^\w v\d+ /, '')));
}

/** A text of one run without what only that run had. */
export function general(text: string): string {
  return text
    .replace(/\/ns\w+(\/job[A-Z]?(?=[/ ]|$))?/g, (_, job) => `/<ns>${job ? '/job' : ''}`)
    .replace(/_c_[0-9a-f-]+-latch-\d*/, '_c_<id>-latch-')
    .replace(/cron: [^\\]*\\n/, `cron: ${NEVER}\\n`)
    .replace(/jobName: job[A-Z]?\\n/, 'jobName: job\\n');
}

/** What one session wrote, in order: requests as texts, transactions as one text of several lines. */
export function writesOf(requests: readonly WriteRequest[], by: string): string[] {
  const texts = requests
    .filter((request) => request.by === by)
    .map(({ steps }) =>
      steps
        .map(({ kind, path, value }) => general(`${kind} ${path} = '${value.replaceAll('\n', '\\n')}'`))
        .join('\n'),
    );
  return inOrderOfShards(texts);
}

/**
 * Before a division the nodes of different shards are created and removed in any order: Java does it one by
 * one, we do it concurrently. The order within a shard is preserved.
 */
function inOrderOfShards(texts: readonly string[]): string[] {
  const shardOf = (text: string) => /^\w+ \S+\/job\/sharding\/(\d+)(?:\/instance)? [^\n]*$/.exec(text)?.[1];
  const sorted: string[] = [];
  for (let at = 0; at < texts.length; ) {
    let end = at;
    while (end < texts.length && shardOf(texts[end]) !== undefined) end++;
    if (end === at) sorted.push(texts[at++]);
    else {
      sorted.push(...texts.slice(at, end).toSorted((a, b) => Number(shardOf(a)) - Number(shardOf(b))));
      at = end;
    }
  }
  return sorted;
}
