/** A real Spark for tests, from PyPI: its commands, a cluster of its own on loopback, and its Thrift server. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { afterAll } from 'vitest';
import { freePort } from './free-port.ts';

const VERSION = '4.1.1';
const FOLDER = join(import.meta.dirname, '../../../../.services/pyspark');
/** A cluster on a busy machine takes its time to start. */
const PATIENCE = 400_000;

/** Where Spark is; it is installed once for this working copy, which takes minutes. */
export function sparkHome(): string {
  const find = () => globSync(join(FOLDER, 'lib/python3*/site-packages/pyspark'))[0];
  if (!existsSync(join(FOLDER, 'bin/pip'))) execFileSync('python3', ['-m', 'venv', FOLDER]);
  if (!find()) execFileSync(join(FOLDER, 'bin/pip'), ['install', '-q', `pyspark==${VERSION}`]);
  return find();
}

/** What its processes need in their environment. */
export function sparkEnvironment(home: string): Record<string, string> {
  return {
    SPARK_HOME: home,
    SPARK_LOCAL_IP: '127.0.0.1',
    // Each test starts several JVMs that do little: without the second compiler that takes half as long.
    JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
    PATH: `${join(FOLDER, 'bin')}:${process.env.PATH}`,
  };
}

const running: ChildProcess[] = [];
afterAll(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const over = once(child, 'exit');
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await over;
  }
});

/** Starts a process of Spark that ends with the tests of the file; settles when it has printed this, or listens on this port. */
async function startSpark(
  home: string,
  args: readonly string[],
  ready: RegExp | number,
  more: Record<string, string>,
) {
  const started = spawn(join(home, 'bin', args[0]), args.slice(1), {
    env: { ...process.env, ...sparkEnvironment(home), ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  const hear = (chunk: Buffer) => {
    said += chunk;
  };
  started.stdout.on('data', hear);
  started.stderr.on('data', hear);
  running.push(started);
  await eventually(
    `${args.join(' ')} is ready`,
    () => (typeof ready === 'number' ? accepts(ready) : ready.test(said)),
    PATIENCE,
  );
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** A cluster of one master and one worker; the address that applications are submitted to. */
export async function startSparkCluster(home: string, folder: string): Promise<string> {
  const [port, rest] = [await freePort(), await freePort()];
  const options = `-Dspark.master.rest.enabled=true -Dspark.master.rest.port=${rest}`;
  const at = ['--host', '127.0.0.1', '--port', String(port), '--webui-port', '0'];
  await startSpark(
    home,
    ['spark-class', 'org.apache.spark.deploy.master.Master', ...at],
    /I have been elected leader/,
    { SPARK_MASTER_OPTS: options, SPARK_DAEMON_MEMORY: '512m' },
  );
  const worker = ['--host', '127.0.0.1', '--cores', '2', '--memory', '2g', '--work-dir', folder];
  await startSpark(
    home,
    ['spark-class', 'org.apache.spark.deploy.worker.Worker', ...worker, `spark://127.0.0.1:${port}`],
    /Successfully registered with master/,
    { SPARK_DAEMON_MEMORY: '512m' },
  );
  return `spark://127.0.0.1:${rest}`;
}

/** A server that speaks the protocol of Hive; its address for beeline. */
export async function startThriftServer(home: string, folder: string): Promise<string> {
  const port = await freePort();
  const conf = {
    'spark.sql.warehouse.dir': join(folder, 'warehouse'),
    'spark.hadoop.javax.jdo.option.ConnectionURL': `jdbc:derby:;databaseName=${join(folder, 'metastore')};create=true`,
    'spark.ui.enabled': 'false',
  };
  const options = Object.entries(conf).flatMap(([name, value]) => ['--conf', `${name}=${value}`]);
  const hive = [
    '--hiveconf',
    `hive.server2.thrift.port=${port}`,
    '--hiveconf',
    'hive.server2.thrift.bind.host=127.0.0.1',
  ];
  await startSpark(
    home,
    [
      'spark-submit',
      '--master',
      'local[1]',
      '--class',
      'org.apache.spark.sql.hive.thriftserver.HiveThriftServer2',
      ...options,
      'spark-internal',
      ...hive,
    ],
    port,
    { SPARK_SUBMIT_OPTS: `-Dderby.system.home=${folder}` },
  );
  return `jdbc:hive2://127.0.0.1:${port}/default`;
}
