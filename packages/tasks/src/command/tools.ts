/** Commands that move or compute data by a file of settings: DataX, Sqoop, SeaTunnel, dbt, notebooks. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type CommandType, option } from './base.ts';

const text = z.string().min(1);
const texts = z.array(z.coerce.string()).default([]);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const program = (name: string) =>
  text.default(name).describe(`The command: ${name} in the path, or its own path.`);

const datax = z.strictObject({
  interpreter: text.default('python3').describe('The Python that starts DataX.'),
  program: text.default('datax.py').describe('Path of datax.py.'),
  job: z.record(z.string(), z.unknown()).describe('The job, as the documentation of DataX describes it.'),
  memory: z.int().min(1).max(1_024).default(1).describe('Memory of its JVM in GB.'),
});

/** `datax.py`; the job with its passwords is in a file. */
export const dataxType: CommandType<typeof datax> = {
  name: 'datax',
  title: 'DataX',
  description: 'Moves data with DataX.',
  schema: datax,
  line: ({ interpreter, program: path, job, memory }, { file }) => ({
    command: interpreter,
    args: [path, `--jvm=-Xms${memory}G -Xmx${memory}G`, file('job.json')],
    files: { 'job.json': JSON.stringify(job, null, 2) },
  }),
};

const sqoop = z.strictObject({
  program: program('sqoop'),
  tool: z.enum(['import', 'export']),
  connection: text.describe('The database, of kind mysql or postgresql.').meta({ format: 'connection' }),
  table: text.optional(),
  query: text.optional().describe('In place of a table to import; it holds $CONDITIONS.'),
  columns: z.array(text).default([]),
  targetDir: text.optional().describe('Where to import to.'),
  exportDir: text.optional().describe('Where to export from.'),
  hiveTable: text.optional().describe('Import into this table of Hive: database.table.'),
  splitBy: text.optional(),
  mappers: z.int().min(1).max(1_000).default(1),
  options: texts.describe('More options of the command.'),
});

/** `sqoop`; the password is in a file, not on the command line. */
export const sqoopType: CommandType<typeof sqoop> = {
  name: 'sqoop',
  title: 'Sqoop',
  description: 'Moves data between a database and Hadoop.',
  schema: sqoop,
  line(given, { file, connection, tag }) {
    const { kind, settings } = connection(given.connection, ['mysql', 'postgresql']);
    const server = settings as Record<string, string | undefined>;
    return {
      command: given.program,
      args: [
        given.tool,
        ...['-D', `mapreduce.job.tags=${tag}`],
        ...['--connect', `jdbc:${kind}://${server.host}:${server.port}/${server.database}`],
        ...option('--username', server.user),
        ...(server.password === undefined ? [] : ['--password-file', `file://${file('password')}`]),
        ...option('--table', given.table),
        ...option('--query', given.query),
        ...(given.columns.length === 0 ? [] : ['--columns', given.columns.join(',')]),
        ...option('--target-dir', given.targetDir),
        ...option('--export-dir', given.exportDir),
        ...(given.hiveTable === undefined ? [] : ['--hive-import', '--hive-table', given.hiveTable]),
        ...option('--split-by', given.splitBy),
        ...['-m', String(given.mappers)],
        ...given.options,
      ],
      files: server.password === undefined ? undefined : { password: server.password },
    };
  },
};

const seatunnel = z.strictObject({
  program: program('seatunnel.sh'),
  config: z
    .union([text, z.record(z.string(), z.unknown())])
    .describe('The job: env, source, transform, sink; an object, or its text as SeaTunnel reads it.'),
  deployMode: z.enum(['local', 'cluster', 'client']).optional(),
  master: text.optional(),
  options: texts.describe('More options of the command.'),
});

/** `seatunnel.sh`. */
export const seatunnelType: CommandType<typeof seatunnel> = {
  name: 'seatunnel',
  title: 'SeaTunnel',
  description: 'Moves data with SeaTunnel.',
  schema: seatunnel,
  line({ program: command, config, deployMode, master, options }, { file, tag }) {
    const [name, written] =
      typeof config === 'string' ? ['job.conf', config] : ['job.json', JSON.stringify(config, null, 2)];
    return {
      command,
      args: [
        ...['--config', file(name)],
        ...option('--deploy-mode', deployMode),
        ...option('--master', master),
        ...['--name', tag],
        ...options,
      ],
      files: { [name]: written },
    };
  },
};

const dbt = z.strictObject({
  program: program('dbt'),
  action: z.enum(['build', 'run', 'test', 'seed', 'snapshot']).default('build'),
  project: text.describe('Folder of the project.'),
  profiles: text.optional().describe('Folder of profiles.yml.'),
  target: text.optional(),
  select: z.array(text).default([]).describe('What to build; everything unless given.'),
  vars: z.record(z.string(), scalar).default({}).describe('Variables of the project.'),
});

/** `dbt`; what became of each node is read from the file of results. */
export const dbtType: CommandType<typeof dbt> = {
  name: 'dbt',
  title: 'dbt',
  description: 'Builds the models of a dbt project.',
  schema: dbt,
  line: ({ program: command, action, project, profiles, target, select, vars }) => ({
    command,
    args: [
      action,
      ...['--project-dir', project],
      ...option('--profiles-dir', profiles),
      ...option('--target', target),
      ...(select.length === 0 ? [] : ['--select', ...select]),
      ...(Object.keys(vars).length === 0 ? [] : ['--vars', JSON.stringify(vars)]),
    ],
  }),
  finished({ with: { project }, output, isIsolated }) {
    const file = join(project, 'target', 'run_results.json');
    // The worker's user may read more than the task's.
    if (isIsolated || !existsSync(file)) return;
    const { results } = JSON.parse(readFileSync(file, 'utf8')) as { results: { status: string }[] };
    const counts: Record<string, number> = {};
    for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1;
    output('nodes', results.length);
    output('statuses', counts);
  },
};

const jupyter = z.strictObject({
  program: program('papermill'),
  notebook: text.describe('The notebook to run.'),
  result: text.describe('Where to write it with its results.'),
  parameters: z.record(z.string(), scalar).default({}).describe('Values for the cell tagged "parameters".'),
  kernel: text.optional(),
  options: texts.describe('More options of the command.'),
});

/** `papermill`. */
export const jupyterType: CommandType<typeof jupyter> = {
  name: 'jupyter',
  title: 'Jupyter',
  description: 'Runs a notebook with papermill.',
  schema: jupyter,
  line: ({ program: command, notebook, result, parameters, kernel, options }) => ({
    command,
    args: [
      notebook,
      result,
      ...Object.entries(parameters).flatMap(([name, value]) => ['-p', name, String(value)]),
      ...option('--kernel', kernel),
      '--log-output',
      '--no-progress-bar',
      ...options,
    ],
  }),
};
