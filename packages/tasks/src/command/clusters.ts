/** Commands that submit work to a cluster: Spark, Flink, MapReduce, Hive. */
import { z } from 'zod';
import { onSpark, onYarn } from './applications.ts';
import { type CommandType, option, pairs } from './base.ts';

const text = z.string().min(1);
const texts = z.array(z.coerce.string()).default([]);
const conf = z
  .record(
    z.string().regex(/^[\w.-]+$/, 'is no name of a setting'),
    z.union([z.string(), z.number(), z.boolean()]),
  )
  .default({});
const count = z.int().positive().optional();
const program = (name: string) =>
  text.default(name).describe(`The command: ${name} in the path, or its own path.`);

const yarn = text.default('yarn').describe('The command that finds and ends applications on YARN.');
/** What a driver of Spark's own cluster is called. */
const DRIVER = /\b(driver-\d+-\d+)\b/;

const spark = z.strictObject({
  program: program('spark-submit'),
  master: text.default('local').describe('local, yarn, k8s://… or spark://….'),
  deployMode: z.enum(['client', 'cluster']).optional(),
  file: text.describe('The jar or Python file.'),
  class: text.optional().describe('The main class of a jar.'),
  args: texts.describe('Arguments of the program.'),
  name: text.optional().describe('Name of the application.'),
  queue: text.optional(),
  driverCores: count,
  driverMemory: text.optional(),
  executors: count,
  executorCores: count,
  executorMemory: text.optional(),
  conf: conf.describe('Settings of Spark.'),
  options: texts.describe('More options of the command.'),
  yarn,
});

/** Whether the driver runs on a cluster of Spark's own. */
function isOnSpark({ master, deployMode }: { master: string; deployMode?: string }): boolean {
  return master.startsWith('spark://') && deployMode === 'cluster';
}

/** `spark-submit`; on YARN the application carries the tag of the task. */
export const sparkType: CommandType<typeof spark> = {
  name: 'spark',
  title: 'Spark',
  description: 'Submits an application to Spark.',
  schema: spark,
  cluster({ yarn: yarnCommand, master, deployMode }) {
    if (master === 'yarn')
      return { by: 'tag', outlives: deployMode === 'cluster', find: (tag) => onYarn(yarnCommand, tag) };
    if (!isOnSpark({ master, deployMode })) return undefined;
    return { by: { answer: DRIVER }, outlives: true, find: (driver) => onSpark(master, driver) };
  },
  line(given, { tag }) {
    const resources = {
      'spark.driver.cores': given.driverCores,
      'spark.driver.memory': given.driverMemory,
      'spark.executor.instances': given.executors,
      'spark.executor.cores': given.executorCores,
      'spark.executor.memory': given.executorMemory,
      'spark.yarn.tags': given.master === 'yarn' ? tag : undefined,
      // Its drivers can only be queried over REST.
      'spark.master.rest.enabled': isOnSpark(given) ? 'true' : undefined,
    };
    const known = Object.entries(resources).filter(([, value]) => value !== undefined);
    return {
      command: given.program,
      args: [
        ...['--master', given.master],
        ...option('--deploy-mode', given.deployMode),
        ...option('--class', given.class),
        ...pairs('--conf', {
          ...(Object.fromEntries(known) as Record<string, string | number>),
          ...given.conf,
        }),
        ...option('--name', given.name),
        ...option('--queue', given.queue),
        ...given.options,
        given.file,
        ...given.args,
      ],
    };
  },
};

const flink = z.strictObject({
  program: program('flink'),
  target: text.optional().describe('Where it runs: yarn-per-job, yarn-application, remote, local, ….'),
  file: text.describe('The jar or Python file.'),
  class: text.optional().describe('The main class of a jar.'),
  args: texts.describe('Arguments of the program.'),
  parallelism: count,
  name: text.optional().describe('Name of the application.'),
  queue: text.optional(),
  conf: conf.describe('Settings of Flink.'),
  options: texts.describe('More options of the command.'),
  yarn,
});

/** `flink run`; without `-d`, so the command lasts as long as the job. */
export const flinkType: CommandType<typeof flink> = {
  name: 'flink',
  title: 'Flink',
  description: 'Runs a job on Flink until it ends.',
  schema: flink,
  cluster: ({ target = '', yarn: command }) =>
    target.startsWith('yarn')
      ? { by: 'tag', outlives: target.endsWith('-application'), find: (tag) => onYarn(command, tag) }
      : undefined,
  line(given, { tag }) {
    const onYarn = given.target?.startsWith('yarn') ?? false;
    const settings = {
      ...(onYarn ? { 'yarn.application.name': given.name ?? tag, 'yarn.tags': tag } : {}),
      ...(given.queue === undefined ? {} : { 'yarn.application.queue': given.queue }),
      ...given.conf,
    };
    return {
      command: given.program,
      args: [
        given.target?.endsWith('-application') ? 'run-application' : 'run',
        ...option('-t', given.target),
        ...option('-p', given.parallelism),
        // Shuts an attached job down with the command.
        '-sae',
        ...Object.entries(settings).map(([key, value]) => `-D${key}=${value}`),
        ...given.options,
        ...option('-c', given.class),
        ...(given.file.endsWith('.py') ? ['-py'] : []),
        given.file,
        ...given.args,
      ],
    };
  },
};

const mapreduce = z.strictObject({
  program: program('hadoop'),
  jar: text,
  class: text.optional().describe('The main class, where the jar names none.'),
  args: texts.describe('Arguments of the program.'),
  name: text.optional().describe('Name of the job.'),
  queue: text.optional(),
  conf: conf.describe('Settings of the job.'),
  yarn,
});

/** `hadoop jar`. */
export const mapreduceType: CommandType<typeof mapreduce> = {
  name: 'mapreduce',
  title: 'MapReduce',
  description: 'Runs a MapReduce job of a jar.',
  schema: mapreduce,
  cluster: ({ yarn: command, conf: given }) =>
    given['mapreduce.framework.name'] === 'local'
      ? undefined
      : { by: 'tag', outlives: true, find: (tag) => onYarn(command, tag) },
  line(given, { tag }) {
    const settings = {
      'mapreduce.job.tags': tag,
      ...(given.name === undefined ? {} : { 'mapreduce.job.name': given.name }),
      ...(given.queue === undefined ? {} : { 'mapreduce.job.queuename': given.queue }),
      ...given.conf,
    };
    return {
      command: given.program,
      args: [
        'jar',
        given.jar,
        ...(given.class === undefined ? [] : [given.class]),
        ...Object.entries(settings).map(([key, value]) => `-D${key}=${value}`),
        ...given.args,
      ],
    };
  },
};

const hive = z
  .strictObject({
    program: program('beeline'),
    connection: text.describe('The connection, of kind hive.').meta({ format: 'connection' }),
    sql: text.optional().describe('The statements.').meta({ format: 'sql' }),
    file: text.optional().describe('In place of sql: the file of statements.'),
    vars: conf.describe('Values for ${hivevar:name} in the file.'),
    conf: conf.describe('Settings of Hive.'),
    options: texts.describe('More options of the command.'),
    yarn: text
      .optional()
      .describe('The command that ends the jobs of the statements on YARN, where Hive runs there.'),
  })
  .refine(({ sql, file }) => (sql === undefined) !== (file === undefined), 'give either sql or file');

/** `beeline`; the password is in a file, not on the command line. */
export const hiveType: CommandType<typeof hive> = {
  name: 'hive',
  title: 'Hive',
  description: 'Runs a file of statements with beeline.',
  schema: hive,
  cluster: ({ yarn: command }) =>
    command === undefined ? undefined : { by: 'tag', outlives: false, find: (tag) => onYarn(command, tag) },
  line(given, { file, connection, tag }) {
    const { settings } = connection(given.connection, ['hive']);
    const { url, user, password } = settings as Record<string, string | undefined>;
    return {
      command: given.program,
      args: [
        ...['-u', url ?? ''],
        ...option('-n', user),
        ...(password === undefined ? [] : ['-w', file('password')]),
        ...['-f', given.file ?? file('script.sql')],
        ...pairs('--hivevar', given.vars),
        ...pairs('--hiveconf', { 'mapreduce.job.tags': tag, ...given.conf }),
        ...['--silent=true', '--outputformat=csv2'],
        ...given.options,
      ],
      files: {
        ...(password !== undefined && { password }),
        ...(given.sql !== undefined && { 'script.sql': `${given.sql.trimEnd().replace(/;$/, '')};\n` }),
      },
    };
  },
};
