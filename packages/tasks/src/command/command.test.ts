/** The command lines, as the documentation of each product has them, and one of them run with a command in its place. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { own } from '@orrery/worker/testing/test-worker';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { startTaskWorker } from '../testing/task-worker.ts';
import type { CommandType } from './base.ts';
import { flinkType, hiveType, mapreduceType, sparkType } from './clusters.ts';
import { dataxType, dbtType, jupyterType, seatunnelType, sqoopType } from './tools.ts';

const databases: Record<string, { kind: string; settings: Record<string, unknown> }> = {
  shop: {
    kind: 'mysql',
    settings: { host: 'db', port: 3306, database: 'shop', user: 'u', password: 'hush' },
  },
  hive: { kind: 'hive', settings: { url: 'jdbc:hive2://h:10000/db', user: 'u', password: 'hush' } },
};

function lineOf<Schema extends z.ZodType>(
  type: CommandType<Schema>,
  settings: z.input<Schema>,
): { line: string; files?: object } {
  const { command, args, files } = type.line(type.schema.parse(settings), {
    file: (name) => `/work/${name}`,
    tag: 'orrery-12-3',
    connection: (name) => databases[name],
  });
  return { line: [command, ...args].join(' '), files };
}

describe('the command line of', () => {
  it.each([
    [
      lineOf(sparkType, {
        master: 'yarn',
        deployMode: 'cluster',
        class: 'org.example.Main',
        file: 'app.jar',
        args: ['2026-11-18', 5],
        name: 'daily',
        queue: 'etl',
        executors: 3,
        executorMemory: '4g',
        conf: { 'spark.sql.shuffle.partitions': 64 },
      }),
      'spark-submit --master yarn --deploy-mode cluster --class org.example.Main --conf spark.executor.instances=3 --conf spark.executor.memory=4g --conf spark.yarn.tags=orrery-12-3 --conf spark.sql.shuffle.partitions=64 --name daily --queue etl app.jar 2026-11-18 5',
    ],
    [lineOf(sparkType, { file: 'app.py' }), 'spark-submit --master local app.py'],
    [
      lineOf(flinkType, {
        target: 'yarn-per-job',
        file: 'job.jar',
        class: 'org.example.Job',
        parallelism: 4,
        queue: 'etl',
      }),
      'flink run -t yarn-per-job -p 4 -sae -Dyarn.application.name=orrery-12-3 -Dyarn.tags=orrery-12-3 -Dyarn.application.queue=etl -c org.example.Job job.jar',
    ],
    [lineOf(flinkType, { file: 'job.py' }), 'flink run -sae -py job.py'],
    [
      lineOf(flinkType, { target: 'yarn-application', file: 'job.jar' }),
      'flink run-application -t yarn-application -sae -Dyarn.application.name=orrery-12-3 -Dyarn.tags=orrery-12-3 job.jar',
    ],
    [
      lineOf(mapreduceType, { jar: 'mr.jar', class: 'wordcount', queue: 'etl', args: ['/in', '/out'] }),
      'hadoop jar mr.jar wordcount -Dmapreduce.job.tags=orrery-12-3 -Dmapreduce.job.queuename=etl /in /out',
    ],
    [
      lineOf(hiveType, { connection: 'hive', file: 'x.sql', vars: { day: '2026-11-18' } }),
      'beeline -u jdbc:hive2://h:10000/db -n u -w /work/password -f x.sql --hivevar day=2026-11-18 --hiveconf mapreduce.job.tags=orrery-12-3 --silent=true --outputformat=csv2',
    ],
    [
      lineOf(dataxType, { job: { job: {} }, memory: 2 }),
      'python3 datax.py --jvm=-Xms2G -Xmx2G /work/job.json',
    ],
    [
      lineOf(sqoopType, {
        tool: 'import',
        connection: 'shop',
        table: 'orders',
        targetDir: '/lake/orders',
        mappers: 4,
      }),
      'sqoop import -D mapreduce.job.tags=orrery-12-3 --connect jdbc:mysql://db:3306/shop --username u --password-file file:///work/password --table orders --target-dir /lake/orders -m 4',
    ],
    [
      lineOf(seatunnelType, { config: { env: {} }, deployMode: 'local' }),
      'seatunnel.sh --config /work/job.json --deploy-mode local --name orrery-12-3',
    ],
    [
      lineOf(dbtType, {
        project: '/p',
        profiles: '/q',
        target: 'prod',
        select: ['orders+'],
        vars: { day: 'x' },
      }),
      'dbt build --project-dir /p --profiles-dir /q --target prod --select orders+ --vars {"day":"x"}',
    ],
    [
      lineOf(jupyterType, {
        notebook: 'in.ipynb',
        result: 'out.ipynb',
        parameters: { alpha: 0.5 },
        kernel: 'python3',
      }),
      'papermill in.ipynb out.ipynb -p alpha 0.5 --kernel python3 --log-output --no-progress-bar',
    ],
  ])('%o', ({ line }, expected) => {
    expect(line).toBe(expected);
  });

  it('what is given as text is written to a file', () => {
    const { line, files } = lineOf(hiveType, { connection: 'hive', sql: 'SELECT 1' });
    expect(line).toContain(' -f /work/script.sql ');
    expect(files).toEqual({ password: 'hush', 'script.sql': 'SELECT 1;\n' });
    expect(lineOf(seatunnelType, { config: 'env { }' })).toMatchObject({
      line: expect.stringContaining('--config /work/job.conf'),
      files: { 'job.conf': 'env { }' },
    });
    expect(hiveType.schema.safeParse({ connection: 'hive' }).success).toBe(false);
  });

  it('what needs a password holds it in a file', () => {
    const { line, files } = lineOf(sqoopType, { tool: 'import', connection: 'shop', table: 't' });
    expect(files).toEqual({ password: 'hush' });
    expect(line).not.toContain('hush');
  });
});

describe('a task of another product', () => {
  it('runs its command, hands results on, fails with its headline, and ends with all it started', async () => {
    const { run, killAt, tasks, codeFolder } = await startTaskWorker();
    const program = join(codeFolder, 'dbt');
    const project = join(codeFolder, 'shop');
    mkdirSync(join(project, 'target'), { recursive: true });
    const results = { results: [{ status: 'success' }, { status: 'success' }, { status: 'skipped' }] };
    writeFileSync(join(project, 'target/run_results.json'), JSON.stringify(results));
    const script =
      'echo "args: $*"; case "$*" in *fail*) echo "ERROR no such model"; exit 2;; *hang*) sleep 600;; esac';
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    const dbt = (select: string) => ({ type: 'dbt', with: { program, project, select: [select] } });
    const built = await run(dbt('orders'));
    expect(built.outcome).toMatchObject({
      state: 'success',
      outputs: { nodes: '3', statuses: '{"success":2,"skipped":1}' },
    });
    expect(own(built.log)).toEqual([`args: build --project-dir ${project} --select orders`]);
    expect((await run(dbt('fail'))).outcome.error).toBe('ERROR no such model (exit code 2)');
    const killed = await killAt(`args: build --project-dir ${project} --select hang`, dbt('hang'));
    expect(killed.outcome.state).toBe('killed');
    expect(tasks()).toEqual([]);
    const missing = await run({ type: 'spark', with: { file: 'app.py', program: '/nowhere/spark-submit' } });
    expect(missing.outcome.error).toContain('/nowhere/spark-submit');
  });
});
