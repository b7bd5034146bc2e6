/** `spark` and `hive` tasks on a real Spark. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { startWorkerProcess } from '@orrery/worker/testing/start-worker-process';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import { beforeAll, describe, expect, it } from 'vitest';
import { processPlugins } from '../testing/process-plugins.ts';
import { sparkEnvironment, sparkHome, startSparkCluster, startThriftServer } from '../testing/spark.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

/** Below the ten minutes in which some test has to end. */
const MINUTES = 540_000;
/** Each command starts a JVM, which takes minutes on a busy machine. */
const PATIENCE = 400_000;
let home: string;
beforeAll(() => {
  home = sparkHome();
}, 15 * 60_000);

/** An application that says that it runs, with its process id, and goes on until it is told how to end. */
const JAVA = `
import java.nio.file.*;
public class Sleeper {
  public static void main(String[] args) throws Exception {
    Path folder = Paths.get(args[0]);
    Files.writeString(folder.resolve("running"), String.valueOf(ProcessHandle.current().pid()));
    while (!Files.exists(folder.resolve("end"))) Thread.sleep(100);
    if (Files.readString(folder.resolve("end")).equals("fail")) System.exit(3);
  }
}`;

function jar(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'Sleeper.java'), JAVA);
  execFileSync('javac', ['--release', '17', 'Sleeper.java'], { cwd: folder });
  execFileSync('jar', ['cf', 'app.jar', 'Sleeper.class'], { cwd: folder });
  return join(folder, 'app.jar');
}

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('spark on one machine', () => {
  const local = (code: string) => {
    const file = join(temporaryFolder(), 'app.py');
    writeFileSync(
      file,
      `from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n${code}`,
    );
    return {
      type: 'spark',
      with: {
        program: join(home, 'bin/spark-submit'),
        master: 'local[1]',
        file,
        conf: { 'spark.ui.enabled': false },
      },
      environment: sparkEnvironment(home),
    };
  };

  it('runs an application, hands on what it prints, and fails with its error', {
    timeout: MINUTES,
  }, async () => {
    const { run } = await startTaskWorker();
    const good = await run(local("print('#{setValue(n=%d)}' % spark.range(100000).count())"), PATIENCE);
    expect(good.outcome).toMatchObject({ state: 'success', outputs: { n: '100000' } });
    const bad = await run(local("raise ValueError('no such day')"), PATIENCE);
    expect(bad.outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('no such day') });
  });

  it('ends with its attempt', { timeout: MINUTES }, async () => {
    const { killAt, tasks } = await startTaskWorker();
    const { outcome } = await killAt(
      'begun',
      local("print('begun', flush=True)\nimport time\ntime.sleep(600)"),
      PATIENCE,
    );
    expect(outcome.state).toBe('killed');
    expect(tasks()).toEqual([]);
  });
});

describe('spark on a cluster of its own', () => {
  let master: string;
  let app: string;
  beforeAll(async () => {
    master = await startSparkCluster(home, temporaryFolder());
    app = jar();
  }, MINUTES);

  const task = (folder: string, more: object = {}) => ({
    type: 'spark',
    with: {
      program: join(home, 'bin/spark-submit'),
      master,
      deployMode: 'cluster',
      class: 'Sleeper',
      file: app,
      args: [folder],
      driverMemory: '512m',
    },
    environment: sparkEnvironment(home),
    ...more,
  });
  const running = (folder: string) =>
    eventually(
      'the application runs',
      () => existsSync(join(folder, 'running')) && Number(readFileSync(join(folder, 'running'), 'utf8')),
      PATIENCE,
    );

  it('goes on without its worker, is gone on with, and is killed', { timeout: MINUTES }, async () => {
    const first = temporaryFolder();
    const lost = startWorkerProcess([assignment(task(first))], temporaryFolder(), {
      bundledIn: processPlugins,
    });
    const pid = await running(first);
    lost.process.kill('SIGKILL');
    await eventually('nothing of the worker is left', () => lost.tasks().length === 0);
    expect(isAlive(pid)).toBe(true);
    const { worker, master: scripted } = await startTaskWorker();
    const [log] = globSync(join(lost.folder, 'logs/**/*.log'));
    const [handle] = /driver-\d+-\d+/.exec(readFileSync(log, 'utf8')) ?? [];
    const next = assignment(task(first, { handle }));
    scripted.give(next);
    const logOf = async () => (await worker.logs.read(next.workflow, next.attempt)).bytes.toString();
    await eventually('it goes on', async () => (await logOf()).includes('RUNNING'), PATIENCE);
    scripted.kill(next.attempt);
    const { outcome } = await eventually('killed', () => scripted.reportOf(next.attempt), PATIENCE);
    expect(outcome.state).toBe('killed');
    await eventually('it is gone', () => !isAlive(pid), PATIENCE);
  });

  it('fails as its application does', { timeout: MINUTES }, async () => {
    const { run } = await startTaskWorker();
    const folder = temporaryFolder();
    const failing = run(task(folder), MINUTES);
    await running(folder);
    writeFileSync(join(folder, 'end'), 'fail');
    expect((await failing).outcome).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^driver-\S+ ended as (FAILED|ERROR)/),
    });
  });
});

describe('on a Thrift server', () => {
  let url: string;
  beforeAll(async () => {
    url = await startThriftServer(home, temporaryFolder());
  }, MINUTES);

  const connected = (changes: object = {}) => ({
    connections: {
      there: { kind: 'hive', settings: { url, user: 'etl', password: 'hush-hush', ...changes } },
    },
    secrets: ['hush-hush'],
    environment: sparkEnvironment(home),
  });

  describe('a hive task', () => {
    const hive = (sql: string, changes: object = {}) => ({
      type: 'hive',
      with: { program: join(home, 'bin/beeline'), connection: 'there', sql, vars: { day: '2026-11-18' } },
      ...connected(changes),
    });

    it('runs statements with beeline', { timeout: MINUTES }, async () => {
      const { run } = await startTaskWorker();
      const { outcome, log } = await run(hive("SELECT concat('day ', '${hivevar:day}') AS d"), PATIENCE);
      expect(outcome).toMatchObject({ state: 'success' });
      expect(log).toContain('day 2026-11-18');
      expect(log).not.toContain('hush-hush');
    });

    it('fails with the line of the server, or of the connection', { timeout: MINUTES }, async () => {
      const { run } = await startTaskWorker();
      const bad = await run(hive('SELECT * FROM nowhere'), PATIENCE);
      expect(bad.outcome).toMatchObject({ state: 'failed', error: expect.stringMatching(/nowhere/i) });
      const wrong = await run(hive('SELECT 1', { url: 'jdbc:hive2://127.0.0.1:1/default' }), PATIENCE);
      expect(wrong.outcome).toMatchObject({ state: 'failed', error: expect.stringMatching(/refused/i) });
    });
  });

  it('sql runs through its driver, and is cancelled on the server', { timeout: MINUTES }, async () => {
    const { run, killAt, codeFolder } = await startTaskWorker();
    execFileSync('npm', ['install', '--no-save', '--no-package-lock', '--ignore-scripts', 'hive-driver'], {
      cwd: codeFolder,
      stdio: 'ignore',
    });
    const sql = (text: string, more: object = {}, type = 'sql') => ({
      type,
      with: { connection: 'there', ...(text !== '' && { sql: text }), ...more },
      ...connected(),
    });
    const rows = await run(
      sql("SELECT id AS n, concat('row ', id) AS name FROM range(100000)", { csv: 'rows.csv', maxRows: 1 }),
      PATIENCE,
    );
    expect(rows.outcome).toMatchObject({
      outputs: { count: '100000', n: '0', rows: '[{"n":0,"name":"row 0"}]' },
    });
    const lines = readFileSync(join(codeFolder, 'rows.csv'), 'utf8').split('\r\n');
    expect([lines.length, lines[100_000]]).toEqual([100_002, '99999,row 99999']);
    const missing = await run(sql('SELECT * FROM nowhere'), PATIENCE);
    expect(missing.outcome).toMatchObject({ state: 'failed', error: expect.stringMatching(/nowhere/i) });
    expect(missing.outcome.error).not.toContain('\n');
    const there = await run(sql('', {}, 'connection-test'), PATIENCE);
    expect(there.outcome).toMatchObject({
      state: 'success',
      outputs: { server: expect.stringContaining('4.') },
    });
    const endless = 'SELECT count(*) FROM range(100000000000) a JOIN range(1000) b ON a.id % 7 = b.id % 5';
    const killed = await killAt(`statement: ${endless}`, sql(endless), PATIENCE);
    expect(killed.outcome.state).toBe('killed');
    // The server has one core: the next statement runs only once it has given up the last one.
    expect((await run(sql('SELECT 1 AS one'), PATIENCE)).outcome).toMatchObject({ outputs: { one: '1' } });
  });
});
