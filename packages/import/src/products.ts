/** Tasks on data sources and of other products. What has no counterpart answers undefined and becomes a placeholder. */
import { z } from 'zod';
import { type ExportedTask, readSettings } from './export-file.ts';
import { localParameters } from './outputs.ts';
import type { Report } from './report.ts';
import type { Settings } from './task.ts';

const word = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const number = z.coerce
  .number()
  .nullish()
  .transform((value) => value ?? 0);
const words = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const resource = z
  .object({ resourceName: word })
  .nullish()
  .transform((value) => value?.resourceName.replace(/^\/+/, '') ?? '');

/** Type and settings, or undefined. */
export function productSettings(task: ExportedTask, report: Report): Settings | undefined {
  switch (task.taskType) {
    case 'SQL':
      return importSql(task, report);
    case 'PROCEDURE':
      return importProcedure(task, report);
    case 'SPARK':
      return importSpark(task, report);
    case 'FLINK':
      return importFlink(task);
    case 'MR':
      return importMapReduce(task);
    case 'DATAX':
      return importDatax(task);
    case 'SQOOP':
      return importSqoop(task);
    case 'JUPYTER':
      return importJupyter(task, report);
    case 'HIVECLI':
      return importHiveCli(task);
    case 'SEATUNNEL':
      return importSeatunnel(task);
    case 'REMOTESHELL':
      return importRemoteShell(task, report);
    case 'K8S':
      return importKubernetes(task, report);
    default:
      return undefined;
  }
}

/** The kinds of connections that stand for data sources. */
const kinds: Readonly<Record<string, string>> = {
  MYSQL: 'mysql',
  STARROCKS: 'mysql',
  DORIS: 'mysql',
  POSTGRESQL: 'postgresql',
  REDSHIFT: 'postgresql',
  MARIADB: 'mysql',
  OCEANBASE: 'mysql',
  CLICKHOUSE: 'clickhouse',
  SQLSERVER: 'sqlserver',
  AZURESQL: 'sqlserver',
  ORACLE: 'oracle',
  TRINO: 'trino',
  HIVE: 'hive',
  KYUUBI: 'hive',
  SPARK: 'hive',
  SSH: 'ssh',
  K8S: 'kubernetes',
};

/** An export has only the number of a data source. */
function connectionOf(type: string, datasource: number, report: Report): string | undefined {
  const kind = kinds[type.toUpperCase()];
  if (kind === undefined || datasource <= 0) return undefined;
  const name = `datasource-${datasource}`;
  report.changed(
    `the export has only the number of its data source; it is the connection "${name}" here, to be made: orrery connections set ${name} --kind ${kind}`,
  );
  return name;
}

const sqlParams = z.object({
  type: word,
  datasource: number,
  sql: z.string(),
  preStatements: words,
  postStatements: words,
  limit: number,
  sendEmail: z.boolean().nullish(),
  segmentSeparator: word,
  connParams: word,
  udfs: word,
});

function importSql(task: ExportedTask, report: Report): Settings | undefined {
  const given = readSettings(sqlParams, task);
  if (['ssh', 'kubernetes'].includes(kinds[given.type.toUpperCase()] ?? '')) return undefined;
  const connection = connectionOf(given.type, given.datasource, report);
  if (connection === undefined) return undefined;
  if (given.sendEmail) report.leftOut('sent its result by mail; add a mail task after it');
  if (given.connParams) report.leftOut(`its settings of the driver: ${given.connParams}`);
  if (given.udfs) report.leftOut(`the functions that it made before: ${given.udfs}`);
  for (const { prop, type } of localParameters(task, 'out'))
    if (type === 'LIST')
      report.changed(
        `handed "${prop}" on as a list of the whole column; here it is the value of the first row, and the output "rows" has all`,
      );
  if (kinds[given.type.toUpperCase()] === 'hive') return importHiveSql(given, connection, report);
  const [before, after] = [given.preStatements.map(inlined), given.postStatements.map(inlined)];
  return {
    type: 'sql',
    with: {
      connection,
      sql: inlined(given.sql),
      ...(before.length > 0 && { before }),
      ...(after.length > 0 && { after }),
      ...(given.limit > 0 && { maxRows: Math.min(given.limit, 10_000) }),
      ...(given.segmentSeparator && { separator: given.segmentSeparator }),
    },
  };
}

/** Statements for a Hive server go through beeline as one script. */
function importHiveSql(
  { sql, preStatements, postStatements }: z.output<typeof sqlParams>,
  connection: string,
  report: Report,
): Settings {
  report.changed(
    'is a script for beeline, in which ${name} is put in as text, not bound; its rows are in the log',
  );
  const script = [...preStatements, sql, ...postStatements]
    .map((each) =>
      each
        .trim()
        .replace(/;$/, '')
        .replace(/!\{([^{}]+)\}/g, (_, name: string) => `\${${name}}`),
    )
    .join(';\n');
  return { type: 'hive', with: { connection, sql: script } };
}

/** There `!{name}` puts a value into the statement as it is. */
function inlined(sql: string): string {
  return sql.replace(/!\{([^{}]+)\}/g, (_, name: string) => `\${${name}:raw}`);
}

/** The kinds that a `procedure` task calls procedures on. */
const CALLED = ['mysql', 'postgresql', 'sqlserver', 'oracle'];
const procedureParams = z.object({ type: word, datasource: number, method: z.string() });

function importProcedure(task: ExportedTask, report: Report): Settings | undefined {
  const { type, datasource, method } = readSettings(procedureParams, task);
  const [, procedure, list] =
    /^\s*\{?\s*call\s+((?:\w+\.){0,2}\w+)\s*\(([^()]*)\)\s*\}?\s*;?\s*$/i.exec(method) ?? [];
  if (procedure === undefined) return undefined;
  if (!CALLED.includes(kinds[type.toUpperCase()] ?? '')) return undefined;
  const connection = connectionOf(type, datasource, report);
  if (connection === undefined) return undefined;
  const outs = new Set(localParameters(task, 'out').map(({ prop }) => prop));
  const given = list.split(',').flatMap((each): (string | { out: string })[] => {
    const text = each.trim();
    const name = /^\$\{(.+)\}$/.exec(text)?.[1];
    if (text === '') return [];
    return name !== undefined && outs.has(name) ? [{ out: name }] : [text.replace(/^'(.*)'$/s, '$1')];
  });
  return { type: 'procedure', with: { connection, procedure, arguments: given } };
}

const program = {
  programType: word,
  mainJar: resource,
  mainClass: word,
  deployMode: word,
  appName: word,
  yarnQueue: word,
  others: word,
  mainArgs: word,
};
const sparkParams = z.object({
  ...program,
  master: word,
  namespace: word,
  driverCores: number,
  driverMemory: word,
  numExecutors: number,
  executorCores: number,
  executorMemory: word,
});

function importSpark(task: ExportedTask, report: Report): Settings | undefined {
  const given = readSettings(sparkParams, task);
  if (given.programType === 'SQL' || given.mainJar === '') return undefined;
  if (given.namespace) report.leftOut(`ran on Kubernetes, in ${given.namespace}; set its master`);
  const isLocal = given.deployMode === 'local' || given.deployMode === '';
  return {
    type: 'spark',
    with: filled({
      master: given.master || (isLocal ? 'local' : 'yarn'),
      deployMode: isLocal ? '' : given.deployMode,
      class: given.programType === 'PYTHON' ? '' : given.mainClass,
      file: given.mainJar,
      args: argumentsIn(given.mainArgs),
      name: given.appName,
      queue: given.yarnQueue,
      driverCores: given.driverCores,
      driverMemory: given.driverMemory,
      executors: given.numExecutors,
      executorCores: given.executorCores,
      executorMemory: given.executorMemory,
      options: argumentsIn(given.others),
    }),
  };
}

const flinkParams = z.object({
  ...program,
  slot: number,
  parallelism: number,
  jobManagerMemory: word,
  taskManagerMemory: word,
});
const flinkTargets: Readonly<Record<string, string>> = {
  cluster: 'yarn-per-job',
  application: 'yarn-application',
};

function importFlink(task: ExportedTask): Settings | undefined {
  const given = readSettings(flinkParams, task);
  if (given.programType === 'SQL' || given.mainJar === '') return undefined;
  const conf = filled({
    'taskmanager.numberOfTaskSlots': given.slot,
    'jobmanager.memory.process.size': given.jobManagerMemory,
    'taskmanager.memory.process.size': given.taskManagerMemory,
  });
  return {
    type: 'flink',
    with: {
      ...filled({
        target: flinkTargets[given.deployMode || 'cluster'] ?? '',
        class: given.programType === 'PYTHON' ? '' : given.mainClass,
        file: given.mainJar,
        args: argumentsIn(given.mainArgs),
        parallelism: given.parallelism,
        name: given.appName,
        queue: given.yarnQueue,
        options: argumentsIn(given.others),
      }),
      ...(Object.keys(conf).length > 0 && { conf }),
    },
  };
}

function importMapReduce(task: ExportedTask): Settings | undefined {
  const given = readSettings(z.object(program), task);
  if (given.mainJar === '') return undefined;
  return {
    type: 'mapreduce',
    with: filled({
      jar: given.mainJar,
      class: given.programType === 'PYTHON' ? '' : given.mainClass,
      name: given.appName,
      queue: given.yarnQueue,
      args: [...argumentsIn(given.others), ...argumentsIn(given.mainArgs)],
    }),
  };
}

const dataxParams = z.object({ customConfig: number, json: word, xmx: number });

/** Only with a job of its own: what DolphinScheduler makes of two data sources needs their addresses. */
function importDatax(task: ExportedTask): Settings | undefined {
  const { customConfig, json, xmx } = readSettings(dataxParams, task);
  const job = customConfig === 1 ? objectIn(json) : undefined;
  return job && { type: 'datax', with: { job, ...(xmx > 1 && { memory: xmx }) } };
}

/** A command of its own is a script; one made from data sources needs their addresses. */
function importSqoop(task: ExportedTask): Settings | undefined {
  const { jobType, customShell } = readSettings(z.object({ jobType: word, customShell: word }), task);
  if (jobType !== 'CUSTOM' || customShell === '') return undefined;
  return { type: 'shell', with: { script: customShell, shell: '/bin/bash' } };
}

const jupyterParams = z.object({
  condaEnvName: word,
  inputNotePath: z.string(),
  outputNotePath: z.string(),
  parameters: word,
  kernel: word,
});

function importJupyter(task: ExportedTask, report: Report): Settings {
  const given = readSettings(jupyterParams, task);
  if (given.condaEnvName)
    report.leftOut(`its environment "${given.condaEnvName}"; papermill must be in the path`);
  const parameters = objectIn(given.parameters);
  return {
    type: 'jupyter',
    with: {
      ...filled({ notebook: given.inputNotePath, result: given.outputNotePath, kernel: given.kernel }),
      ...(parameters && { parameters }),
    },
  };
}

const hiveParams = z.object({
  hiveCliTaskExecutionType: word,
  hiveSqlScript: word,
  hiveCliOptions: word,
  resourceList: z.array(z.object({ resourceName: word })).nullish(),
});

/** The command-line client of Hive, which needs no connection, as a script. */
function importHiveCli(task: ExportedTask): Settings | undefined {
  const { hiveCliTaskExecutionType, hiveSqlScript, hiveCliOptions, resourceList } = readSettings(
    hiveParams,
    task,
  );
  const file = resourceList?.[0]?.resourceName.replace(/^\/+/, '');
  if (hiveCliTaskExecutionType === 'FILE')
    return file
      ? { type: 'shell', with: { script: `hive -f '${file}' ${hiveCliOptions}`, shell: '/bin/bash' } }
      : undefined;
  if (hiveSqlScript === '') return undefined;
  const script = `cat > "$ORRERY_WORK_DIR/script.sql" <<'END_OF_SCRIPT'\n${hiveSqlScript}\nEND_OF_SCRIPT\nhive -f "$ORRERY_WORK_DIR/script.sql" ${hiveCliOptions}\n`;
  return { type: 'shell', with: { script, shell: '/bin/bash' } };
}

const seatunnelParams = z.object({
  startupScript: word,
  useCustom: z.boolean().nullish(),
  rawScript: word,
  deployMode: word,
  others: word,
});

function importSeatunnel(task: ExportedTask): Settings | undefined {
  const { startupScript, rawScript, deployMode, others } = readSettings(seatunnelParams, task);
  if (rawScript === '') return undefined;
  const mode = ['local', 'cluster', 'client'].includes(deployMode) ? deployMode : '';
  return {
    type: 'seatunnel',
    with: filled({
      program: startupScript,
      config: rawScript,
      deployMode: mode,
      options: argumentsIn(others),
    }),
  };
}

function importRemoteShell(task: ExportedTask, report: Report): Settings | undefined {
  const { rawScript, type, datasource } = readSettings(
    z.object({ rawScript: z.string(), type: word, datasource: number }),
    task,
  );
  const connection = connectionOf(type || 'SSH', datasource, report);
  if (connection === undefined) return undefined;
  return { type: 'ssh', with: { connection, script: rawScript, shell: '/bin/bash' } };
}

const kubernetesParams = z.object({
  image: z.string(),
  command: word,
  args: word,
  imagePullPolicy: word,
  pullSecret: word,
  minCpuCores: number,
  minMemorySpace: number,
  datasource: number,
  namespace: word,
  customizedLabels: z.array(z.object({ label: z.string(), value: word })).nullish(),
  nodeSelectors: z.array(z.object({ key: z.string(), operator: word, values: word })).nullish(),
});

function importKubernetes(task: ExportedTask, report: Report): Settings | undefined {
  const given = readSettings(kubernetesParams, task);
  const connection = connectionOf('K8S', given.datasource, report);
  if (connection === undefined) return undefined;
  if (given.nodeSelectors?.length) report.leftOut('chose nodes by rules; give it a nodeSelector');
  const labels = Object.fromEntries((given.customizedLabels ?? []).map(({ label, value }) => [label, value]));
  const namespace = objectIn(given.namespace)?.name;
  return {
    type: 'kubernetes',
    with: {
      connection,
      ...filled({
        image: given.image,
        namespace: typeof namespace === 'string' ? namespace : '',
        command: listIn(given.command),
        args: listIn(given.args),
        pullPolicy: given.imagePullPolicy,
        pullSecret: given.pullSecret,
        cpu: given.minCpuCores > 0 ? String(given.minCpuCores) : '',
        memory: given.minMemorySpace > 0 ? `${given.minMemorySpace}Mi` : '',
      }),
      ...(Object.keys(labels).length > 0 && { labels }),
    },
  };
}

/** A list in JSON, or in YAML's two forms; any other text is a list of one. */
function listIn(written: string): string[] {
  const text = written.trim();
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map(String);
  } catch {
    // Not JSON.
  }
  const inner = /^\[([\s\S]*)\]$/.exec(text)?.[1];
  if (inner !== undefined)
    return [...inner.matchAll(/"([^"]*)"|'([^']*)'|([^\s,][^,]*)/g)].map(([, double, single, bare]) =>
      (double ?? single ?? bare).trim(),
    );
  const lines = text.split('\n').map((line) => /^-\s+(.*)$/.exec(line.trim())?.[1]);
  if (lines.every((line) => line !== undefined))
    return lines.map((line) => line.replace(/^(["'])(.*)\1$/, '$2'));
  return text === '' ? [] : [text];
}

/** Without what is empty or 0 there. */
function filled(values: Readonly<Record<string, string | number | readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value))),
  );
}

/** A line of arguments as a shell would cut it. */
function argumentsIn(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([text]) =>
    text.replace(
      /"([^"]*)"|'([^']*)'/g,
      (_, double: string | undefined, single: string | undefined) => double ?? single ?? '',
    ),
  );
}

function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
