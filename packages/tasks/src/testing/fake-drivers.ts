/** Drivers that tests put in the place of real ones: they have the functions that are used, and answer from a script. */
import { EventEmitter } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** What a statement is answered with: rows, a number of changed rows, a fault, or nothing until it is cancelled. */
export type Answer =
  | {
      readonly columns: readonly string[];
      readonly rows: readonly (readonly unknown[])[];
      /** What ClickHouse writes after the rows of a query that fails on its way. */
      readonly trailing?: string;
    }
  | { readonly changed: number }
  /** Out parameters of a procedure. */
  | { readonly out: readonly unknown[] }
  | { readonly fault: Error }
  | 'endless';

/** A server as its driver shows it. */
export interface Script {
  /** Fails every attempt to connect. */
  readonly refused?: Error;
  answer(text: string): Answer;
}

/** What a driver was asked to do. */
export interface Recorded {
  readonly config: Record<string, unknown>[];
  readonly sent: { readonly text: string; readonly values: readonly unknown[] }[];
  /** Statements that were cancelled, as the driver names them. */
  readonly cancelled: unknown[];
  /** How often it was paused, for drivers that push rows. */
  pauses: number;
}

/** Puts a driver where a worker with this code folder finds it. */
export function giveDriver(codeFolder: string, name: string, script: Script): Recorded {
  const recorded: Recorded = { config: [], sent: [], cancelled: [], pauses: 0 };
  const folder = join(codeFolder, 'node_modules', name);
  const key = `driver of ${codeFolder}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', main: 'index.js' }));
  writeFileSync(join(folder, 'index.js'), `export default globalThis[Symbol.for(${JSON.stringify(key)})];\n`);
  Object.assign(globalThis, { [Symbol.for(key)]: drivers[name](script, recorded) });
  return recorded;
}

/** Requests to cancel that get there before the statement does, where a server knows nothing of it. */
const LOST = 1;

function countIn(answer: { readonly changed: number } | { readonly out: readonly unknown[] }): number {
  return 'changed' in answer ? answer.changed : 0;
}

type Make = (script: Script, recorded: Recorded) => unknown;

const drivers: Readonly<Record<string, Make>> = {
  '@clickhouse/client': clickhouse,
  tedious,
  oracledb,
  'trino-client': trino,
  'hive-driver': hive,
};

/** A statement that runs until someone cancels it. */
function endless(): { readonly over: Promise<never>; cancel(): void } {
  let cancel = (): void => {};
  const over = new Promise<never>((_, reject) => {
    cancel = () => reject(new Error('cancelled by the user'));
  });
  over.catch(() => {});
  return { over, cancel };
}

function clickhouse(script: Script, { config, sent, cancelled }: Recorded) {
  let running = endless();
  return {
    createClient(given: Record<string, unknown>) {
      config.push(given);
      return {
        async command({ query, query_params }: { query: string; query_params?: { id: string } }) {
          if (script.refused) throw script.refused;
          if (!query.startsWith('KILL')) return;
          if (cancelled.push(query_params?.id) > LOST) running.cancel();
        },
        async exec({ query, query_params }: { query: string; query_params: Record<string, unknown> }) {
          sent.push({ text: query, values: Object.values(query_params) });
          const answer = script.answer(query);
          if (answer === 'endless') {
            running = endless();
            return running.over;
          }
          if ('fault' in answer) throw answer.fault;
          if (!('rows' in answer))
            return { stream: Readable.from([]), summary: { written_rows: String(countIn(answer)) } };
          const types = answer.columns.map((_, k) =>
            typeof answer.rows[0]?.[k] === 'string' ? 'String' : 'Int64',
          );
          const lines = [answer.columns, types, ...answer.rows.map((row) => row.map(String))];
          const texts = lines.map((line) => `${JSON.stringify(line)}\n`);
          return {
            stream: Readable.from([...texts, ...(answer.trailing === undefined ? [] : [answer.trailing])]),
          };
        },
        async close() {},
      };
    },
  };
}

function tedious(script: Script, recorded: Recorded) {
  const { config, sent, cancelled } = recorded;
  type Done = (error: Error | null, count?: number) => void;
  class Request extends EventEmitter {
    values: unknown[] = [];
    paused = false;
    readonly text: string;
    readonly done: Done;
    constructor(text: string, done: Done) {
      super();
      this.text = text;
      this.done = done;
    }
    addParameter(_name: string, _type: unknown, value: unknown) {
      this.values.push(value);
    }
    pause() {
      recorded.pauses++;
      this.paused = true;
    }
    resume() {
      this.paused = false;
      this.emit('resumed');
    }
  }
  class Connection extends EventEmitter {
    running: Request | undefined;
    constructor(given: Record<string, unknown>) {
      super();
      config.push(given);
    }
    connect(done: Done) {
      setImmediate(() => done(script.refused ?? null));
    }
    async execSql(request: Request) {
      sent.push({ text: request.text, values: request.values });
      const answer = script.answer(request.text);
      this.running = request;
      if (answer === 'endless') return;
      if ('fault' in answer) return request.done(answer.fault);
      if (!('rows' in answer)) return request.done(null, countIn(answer));
      request.emit(
        'columnMetadata',
        answer.columns.map((colName) => ({ colName })),
      );
      for (const row of answer.rows) {
        if (request.paused) await new Promise((resolve) => request.once('resumed', resolve));
        request.emit(
          'row',
          row.map((value) => ({
            value,
            metadata: { type: { name: value instanceof Date ? 'Date' : 'Int' } },
          })),
        );
      }
      return request.done(null, answer.rows.length);
    }
    execSqlBatch = this.execSql;
    cancel() {
      cancelled.push(this.running?.text);
      this.running?.done(Object.assign(new Error('Canceled.'), { code: 'ECANCEL' }));
      return true;
    }
    reset(done: Done) {
      done(null);
    }
    close() {}
  }
  return { Connection, Request, TYPES: { NVarChar: {} } };
}

function oracledb(script: Script, { config, sent, cancelled }: Recorded) {
  let running = endless();
  return {
    STRING: 'STRING',
    BIND_OUT: 'OUT',
    BIND_INOUT: 'INOUT',
    async getConnection(given: Record<string, unknown>) {
      config.push(given);
      if (script.refused) throw script.refused;
      return {
        async execute(text: string, values: unknown[], options: { autoCommit: boolean }) {
          sent.push({ text, values: options.autoCommit ? values : [...values, 'in transaction'] });
          const answer = script.answer(text);
          if (answer === 'endless') {
            running = endless();
            return running.over;
          }
          if ('fault' in answer) throw answer.fault;
          if ('out' in answer) return { outBinds: answer.out };
          if ('changed' in answer) return { rowsAffected: answer.changed };
          const left = [...answer.rows];
          const metaData = answer.columns.map((name) => ({ name }));
          return {
            resultSet: { metaData, getRows: async (most: number) => left.splice(0, most), async close() {} },
          };
        },
        async break() {
          if (cancelled.push(true) > LOST) running.cancel();
        },
        isHealthy: () => true,
        async close() {},
      };
    },
  };
}

function trino(script: Script, { config, sent, cancelled }: Recorded) {
  class BasicAuth {
    readonly user: string;
    readonly password: string | undefined;
    constructor(user: string, password?: string) {
      this.user = user;
      this.password = password;
    }
  }
  let running = endless();
  async function* answers(text: string) {
    yield { id: 'q1' };
    const answer = text === 'SELECT 1' ? { columns: ['one'], rows: [[1]] } : script.answer(text);
    if (answer === 'endless') {
      running = endless();
      await running.over;
      return;
    }
    if ('fault' in answer) {
      const { message } = answer.fault;
      yield { id: 'q1', error: { message, errorName: 'SYNTAX_ERROR', errorLocation: { lineNumber: 1 } } };
    } else if (!('rows' in answer)) yield { id: 'q1', updateType: 'INSERT', updateCount: countIn(answer) };
    else
      for (let k = 0; k === 0 || k < answer.rows.length; k += 100) {
        const columns = answer.columns.map((name) => ({ name }));
        yield { id: 'q1', columns, data: answer.rows.slice(k, k + 100) };
      }
  }
  const create = (given: Record<string, unknown>) => {
    config.push(given);
    return {
      async query(text: string) {
        if (script.refused) throw script.refused;
        if (text !== 'SELECT 1') sent.push({ text, values: [] });
        return answers(text);
      },
      async cancel(id: string) {
        cancelled.push(id);
        running.cancel();
      },
    };
  };
  return { Trino: { create }, BasicAuth };
}

function hive(script: Script, { config, sent, cancelled }: Recorded) {
  const states = {
    INITIALIZED_STATE: 0,
    RUNNING_STATE: 1,
    FINISHED_STATE: 2,
    CANCELED_STATE: 3,
    ERROR_STATE: 5,
    PENDING_STATE: 7,
  };
  class PlainTcpAuthentication {
    constructor(given: Record<string, unknown>) {
      config.push(given);
    }
  }
  class HiveClient extends EventEmitter {
    async connect(to: Record<string, unknown>) {
      config.push(to);
      if (script.refused) throw script.refused;
      return this;
    }
    async openSession() {
      return { executeStatement: async (text: string) => operation(text), async close() {} };
    }
    close() {}
  }
  const operation = (text: string) => {
    sent.push({ text, values: [] });
    const answer = script.answer(text);
    const rows = answer !== 'endless' && 'rows' in answer ? answer : undefined;
    let operationState = answer === 'endless' ? states.RUNNING_STATE : states.FINISHED_STATE;
    const fault = answer !== 'endless' && 'fault' in answer ? answer.fault : undefined;
    if (fault) operationState = states.ERROR_STATE;
    let at = 0;
    // Like the driver: fetched rows are kept until flushed.
    let fetched: Record<string, unknown>[] = [];
    return {
      status: async () => ({
        operationState,
        errorMessage: fault && `${fault.message}\n\tat org.apache.hive`,
      }),
      async fetch() {
        const more = (rows?.rows ?? []).slice(at, at + 100);
        fetched.push(
          ...more.map((row) => Object.fromEntries(row.map((value, k) => [rows?.columns[k], value]))),
        );
        at += 100;
      },
      flush() {
        fetched = [];
      },
      hasMoreRows: () => at < (rows?.rows.length ?? 0),
      setMaxRows() {},
      getSchema: () =>
        rows && { columns: rows.columns.map((name, position) => ({ columnName: `t.${name}`, position })) },
      values: () => fetched,
      async cancel() {
        if (cancelled.push(text) > LOST) operationState = states.CANCELED_STATE;
      },
      async close() {},
    };
  };
  class HiveUtils {
    getResult(one: { values(): unknown }) {
      return { getValue: () => one.values() };
    }
  }
  return {
    HiveClient,
    HiveUtils,
    connections: { TcpConnection: class {} },
    auth: { PlainTcpAuthentication, NoSaslAuthentication: class {} },
    thrift: { TCLIService: {}, TCLIService_types: { TProtocolVersion: {}, TOperationState: states } },
  };
}
