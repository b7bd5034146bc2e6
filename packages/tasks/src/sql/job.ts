/** What an `sql` task does in its session: statements before, its own, and those after, one by one. */
import { bindSql, type Markers, type SqlValue, splitSql } from '@orrery/core/params';
import { zone } from '@orrery/core/time';
import { TaskFailure } from '@orrery/worker/plugin';
import { ResultSet } from './result.ts';
import type { RowSink, SqlSession, StatementFault } from './session.ts';
import { textValue } from './values.ts';

/** A statement with its values, ready to run. */
export interface JobStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Its place, for messages: `statement 2 (line 5)`. */
  readonly at: string;
  /** The line of the setting on which it begins. */
  readonly line: number;
}

/** The whole of it; plain data, since for some databases another process does it. */
export interface SqlJob {
  readonly before: readonly JobStatement[];
  readonly statements: readonly JobStatement[];
  readonly after: readonly JobStatement[];
  readonly transaction: boolean;
  readonly explain: boolean;
  readonly maxRows: number;
  readonly csv?: string;
}

/** Where it tells what happens. */
export interface JobVoice {
  log(line: string): void;
  note(line: string): void;
}

const SHOWN = 200;

/** Cuts a script into statements and binds their parameters; refuses what cannot be bound. */
export function prepare(
  script: string,
  what: string,
  options: {
    readonly params: Readonly<Record<string, string>>;
    readonly markers: Markers;
    readonly separator?: string;
  },
): JobStatement[] {
  const { params, markers, separator } = options;
  const pasted = script.replace(RAW, (text, name: string) => params[name] ?? text);
  const found = separator === undefined ? splitSql(pasted) : splitBy(pasted, separator);
  return found.map(({ sql, line }, k) => {
    const at = found.length === 1 ? what : `${what} ${k + 1} (line ${line})`;
    const value = (name: string, inList: boolean) => (inList ? listOr(params[name]) : params[name]);
    const bound = bindSql(sql, { value, markers, at, businessTime: 0, zone: zone('UTC') });
    return { text: bound.text, values: bound.values, at, line };
  });
}

/** An author's choice: the value becomes part of the statement. */
const RAW = /\$\{([\p{L}_][\p{L}\p{N}_.-]*):raw\}/gu;

/** A list, where the text is one in JSON; so parameters of type list travel. */
function listOr(text: string | undefined) {
  if (!text?.trimStart().startsWith('[')) return text;
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

function splitBy(script: string, separator: string): { sql: string; line: number }[] {
  let line = 1;
  return script.split(separator).flatMap((part) => {
    const begins = line + (/^\s*/.exec(part)?.[0].split('\n').length ?? 1) - 1;
    line += part.split('\n').length - 1;
    return part.trim() === '' ? [] : [{ sql: part.trim(), line: begins }];
  });
}

/** Runs the job and returns the outputs. The result is that of the task's own last statement. */
export async function runJob(
  session: SqlSession,
  job: SqlJob,
  voice: JobVoice,
): Promise<Record<string, string | number>> {
  if (job.explain) return explain(session, job, voice);
  const { name, transaction } = session;
  if (job.transaction && !transaction)
    throw new TaskFailure(`${name} has no transactions here; leave out "transaction"`, { fatal: true });
  const words = job.transaction ? transaction : undefined;
  const nothing = new ResultSet({ maxRows: 0 });
  const command = (text: string) => session.run(text, [], nothing);
  if (words) await command(words.begin);
  try {
    for (const statement of job.before) await run(session, statement, voice, { maxRows: 0 });
    let outputs: Record<string, string | number> = {};
    for (const [k, statement] of job.statements.entries()) {
      const last = k === job.statements.length - 1;
      const { maxRows, csv } = job;
      const ran = await run(session, statement, voice, last ? { maxRows, csv } : { maxRows: 0 });
      if (last) outputs = ran;
    }
    for (const statement of job.after) await run(session, statement, voice, { maxRows: 0 });
    if (words) await command(words.commit);
    return outputs;
  } catch (error) {
    if (words) await command(words.rollback).catch(() => {});
    throw error;
  }
}

async function run(
  session: SqlSession,
  { text, values, at, line }: JobStatement,
  { log, note }: JobVoice,
  options: { readonly maxRows: number; readonly csv?: string },
): Promise<Record<string, string | number>> {
  log(`${at}: ${firstLine(text)}`);
  const result = new ResultSet(options);
  try {
    const changed = await session.run(text, values, result);
    await result.finish();
    if (!result.returned) {
      log(`${changed ?? 0} rows changed`);
      return { count: changed ?? 0 };
    }
    log(`${result.count} rows${options.csv === undefined ? '' : `, written to ${options.csv}`}`);
    const { values: outputs, notes } = result.outputs();
    if (options.maxRows > 0 || options.csv !== undefined) for (const each of notes) note(each);
    return outputs;
  } catch (error) {
    result.discard();
    throw failureOf(error, at, line);
  }
}

/** Asks the database for the plan of each statement: this changes nothing and finds errors. */
async function explain(session: SqlSession, job: SqlJob, voice: JobVoice): Promise<Record<string, never>> {
  for (const { text, values, at, line } of job.statements) {
    voice.log(`${at}: EXPLAIN ${firstLine(text)}`);
    const plan: RowSink = {
      columns() {},
      row(values) {
        voice.log(values.map(textValue).join('  '));
        return true;
      },
      ready: async () => {},
    };
    try {
      if (session.explain) await session.explain(text, values, plan);
      else await session.run(`EXPLAIN ${text}`, values, plan);
    } catch (error) {
      throw failureOf(error, at, line);
    }
  }
  return {};
}

function failureOf(error: unknown, at: string, begins: number): TaskFailure {
  if (error instanceof TaskFailure) return error;
  const { message, line } = error as StatementFault;
  return new TaskFailure(`${line === undefined ? at : `${at}, line ${begins + line}`}: ${message}`);
}

function firstLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}
