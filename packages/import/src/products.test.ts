import { taskPlugins } from '@orrery/tasks';
import { connectionKinds } from '@orrery/tasks/kinds';
import { describe, expect, it } from 'vitest';
import type { ExportedTask } from './export-file.ts';
import { pluginSettings } from './settings.ts';

/** What becomes of a task, and what is told of it. */
function imported(taskType: string, taskParams: object) {
  const told: string[] = [];
  const report = {
    changed: (text: string) => told.push(text),
    leftOut: (text: string) => told.push(`left out: ${text}`),
  };
  const settings = pluginSettings({ taskType, taskParams } as unknown as ExportedTask, report as never);
  return { ...settings, told };
}

const schemas = new Map(
  taskPlugins({ codeFolder: '/', cacheFolder: '/' }).map(({ name, schema }) => [name, schema]),
);

describe('a task of another product', () => {
  it.each([
    [
      'SQL',
      {
        type: 'MYSQL',
        datasource: 5,
        sql: 'select !{column} from t where day = ${day}',
        sqlType: '0',
        preStatements: ['set a = 1'],
        postStatements: [],
        limit: 50_000,
      },
      {
        type: 'sql',
        with: {
          connection: 'datasource-5',
          sql: 'select ${column:raw} from t where day = ${day}',
          before: ['set a = 1'],
          maxRows: 10_000,
        },
      },
    ],
    [
      'PROCEDURE',
      {
        type: 'POSTGRESQL',
        datasource: 2,
        method: "{call shop.close(${day}, 'x', ${total})}",
        localParams: [
          { prop: 'day', direct: 'IN', type: 'VARCHAR', value: '' },
          { prop: 'total', direct: 'OUT', type: 'INTEGER', value: '' },
        ],
      },
      {
        type: 'procedure',
        with: {
          connection: 'datasource-2',
          procedure: 'shop.close',
          arguments: ['${day}', 'x', { out: 'total' }],
        },
      },
    ],
    [
      'SPARK',
      {
        programType: 'SCALA',
        mainJar: { resourceName: '/jobs/a.jar' },
        mainClass: 'org.example.A',
        deployMode: 'cluster',
        numExecutors: 2,
        mainArgs: '--day "2026 11" x',
        others: '--conf a=b',
        yarnQueue: 'etl',
      },
      {
        type: 'spark',
        with: {
          master: 'yarn',
          deployMode: 'cluster',
          class: 'org.example.A',
          file: 'jobs/a.jar',
          args: ['--day', '2026 11', 'x'],
          queue: 'etl',
          executors: 2,
          options: ['--conf', 'a=b'],
        },
      },
    ],
    [
      'FLINK',
      {
        programType: 'JAVA',
        mainJar: { resourceName: 'f.jar' },
        mainClass: 'F',
        deployMode: 'application',
        slot: 2,
      },
      {
        type: 'flink',
        with: {
          target: 'yarn-application',
          class: 'F',
          file: 'f.jar',
          conf: { 'taskmanager.numberOfTaskSlots': 2 },
        },
      },
    ],
    [
      'MR',
      { programType: 'JAVA', mainJar: { resourceName: 'm.jar' }, mainClass: 'M', mainArgs: '/in /out' },
      { type: 'mapreduce', with: { jar: 'm.jar', class: 'M', args: ['/in', '/out'] } },
    ],
    [
      'DATAX',
      { customConfig: 1, json: '{"job":{"content":[]}}', xmx: 2 },
      { type: 'datax', with: { job: { job: { content: [] } }, memory: 2 } },
    ],
    [
      'JUPYTER',
      { condaEnvName: 'ml', inputNotePath: '/a.ipynb', outputNotePath: '/b.ipynb', parameters: '{"x":1}' },
      { type: 'jupyter', with: { notebook: '/a.ipynb', result: '/b.ipynb', parameters: { x: 1 } } },
    ],
    [
      'SQL',
      { type: 'HIVE', datasource: 3, sql: 'select !{c} from t;', preStatements: ['set a = 1;'] },
      { type: 'hive', with: { connection: 'datasource-3', sql: 'set a = 1;\nselect ${c} from t' } },
    ],
    [
      'REMOTESHELL',
      { type: 'SSH', datasource: 4, rawScript: 'uptime' },
      { type: 'ssh', with: { connection: 'datasource-4', script: 'uptime', shell: '/bin/bash' } },
    ],
    [
      'K8S',
      {
        datasource: 6,
        image: 'etl:7',
        command: '["/bin/load", "--now"]',
        args: "[a, 'b c']",
        imagePullPolicy: 'IfNotPresent',
        minCpuCores: 2,
        minMemorySpace: 512,
        namespace: '{"name":"etl","cluster":"k"}',
        customizedLabels: [{ label: 'team', value: 'sales' }],
      },
      {
        type: 'kubernetes',
        with: {
          connection: 'datasource-6',
          image: 'etl:7',
          namespace: 'etl',
          command: ['/bin/load', '--now'],
          args: ['a', 'b c'],
          pullPolicy: 'IfNotPresent',
          cpu: '2',
          memory: '512Mi',
          labels: { team: 'sales' },
        },
      },
    ],
    [
      'SEATUNNEL',
      {
        startupScript: 'seatunnel.sh',
        rawScript: 'env { parallelism = 1 }',
        deployMode: 'local',
        others: '-i a=b',
      },
      {
        type: 'seatunnel',
        with: {
          program: 'seatunnel.sh',
          config: 'env { parallelism = 1 }',
          deployMode: 'local',
          options: ['-i', 'a=b'],
        },
      },
    ],
  ])('of type %s is one here, with settings that it accepts', (type, params, expected) => {
    const { told, ...settings } = imported(type, params);
    expect(settings).toEqual(expected);
    expect(schemas.get(expected.type)?.safeParse(expected.with)).toMatchObject({ success: true });
    for (const line of told) expect(line).toMatch(/data source|left out: its environment|beeline/);
  });

  it.each([
    ['SQL', { type: 'DB2', datasource: 1, sql: 'select 1' }],
    ['PROCEDURE', { type: 'HIVE', datasource: 1, method: '{call p()}' }],
    ['REMOTESHELL', { type: 'SSH', rawScript: 'x' }],
    ['PROCEDURE', { type: 'MYSQL', datasource: 1, method: 'begin x; end' }],
    ['PROCEDURE', { type: 'MYSQL', datasource: 1, method: '{call a.b.c.d()}' }],
    ['SPARK', { programType: 'SQL', rawScript: 'select 1' }],
    ['DATAX', { customConfig: 0, dsType: 'MYSQL', dataSource: 1 }],
    ['DATAX', { customConfig: 1, json: 'not json' }],
    ['SQOOP', { jobType: 'TEMPLATE' }],
    ['K8S', { image: 'x' }],
  ])('of type %s that has no counterpart fails until it is replaced: %j', (type, params) => {
    const { with: settings, told } = imported(type, params);
    expect(settings).toMatchObject({ script: expect.stringContaining('has to be replaced') });
    expect(told).toMatchObject([expect.stringContaining(`left out: a task of type ${type} with`)]);
  });
});

it.each([
  ['CLICKHOUSE', 'clickhouse'],
  ['ORACLE', 'oracle'],
  ['SQLSERVER', 'sqlserver'],
  ['AZURESQL', 'sqlserver'],
  ['TRINO', 'trino'],
])('SQL on %s is a task on a connection of kind %s', (type, kind) => {
  const { told, ...settings } = imported('SQL', { type, datasource: 2, sql: 'select 1' });
  expect(settings).toEqual({ type: 'sql', with: { connection: 'datasource-2', sql: 'select 1' } });
  expect(told).toEqual([expect.stringContaining(`orrery connections set datasource-2 --kind ${kind}`)]);
  expect(connectionKinds.has(kind)).toBe(true);
});

it.each(['MYSQL', 'POSTGRESQL', 'SQLSERVER', 'ORACLE'])('PROCEDURE on %s is one here', (type) => {
  const { told, ...settings } = imported('PROCEDURE', { type, datasource: 2, method: '{call a.b.c(1)}' });
  expect(settings).toMatchObject({ type: 'procedure', with: { procedure: 'a.b.c', arguments: ['1'] } });
  expect(schemas.get('procedure')?.safeParse(settings.with)).toMatchObject({ success: true });
  expect(told).toHaveLength(1);
});

it.each([
  ['SQL', { connParams: 'useSSL=true' }, 'left out: its settings of the driver: useSSL=true'],
  ['SQL', { udfs: '3,4' }, 'left out: the functions that it made before: 3,4'],
  ['SQL', { localParams: [{ prop: 'ids', direct: 'OUT', type: 'LIST' }] }, 'handed "ids" on as a list'],
  [
    'SPARK',
    { namespace: '{"name":"etl"}' },
    'left out: ran on Kubernetes, in {"name":"etl"}; set its master',
  ],
])('what a task of type %s said by %j is in the report', (type, more, expected) => {
  const base = { type: 'MYSQL', datasource: 1, sql: 'select 1', mainJar: { resourceName: 'a.py' } };
  expect(imported(type, { ...base, ...more }).told).toContainEqual(expect.stringContaining(expected));
});

/** Every type of task that DolphinScheduler 3 exports, with the smallest settings it accepts; logic types are elsewhere. */
const everyType: Readonly<Record<string, object>> = {
  SHELL: { rawScript: 'true' },
  PYTHON: { rawScript: 'pass' },
  HTTP: { url: 'https://example.org', httpMethod: 'GET' },
  SQL: { type: 'MYSQL', datasource: 1, sql: 'select 1' },
  PROCEDURE: { type: 'MYSQL', datasource: 1, method: '{call p()}' },
  SPARK: { programType: 'JAVA', mainJar: { resourceName: 'a.jar' }, mainClass: 'A' },
  FLINK: { programType: 'JAVA', mainJar: { resourceName: 'a.jar' }, mainClass: 'A' },
  MR: { programType: 'JAVA', mainJar: { resourceName: 'a.jar' }, mainClass: 'A' },
  HIVECLI: { hiveCliTaskExecutionType: 'SCRIPT', hiveSqlScript: 'select 1;' },
  DATAX: { customConfig: 1, json: '{"job":{}}' },
  SQOOP: { jobType: 'CUSTOM', customShell: 'sqoop import' },
  SEATUNNEL: { startupScript: 'seatunnel.sh', useCustom: true, rawScript: 'env {}' },
  JUPYTER: { inputNotePath: 'a.ipynb', outputNotePath: 'b.ipynb' },
  REMOTESHELL: { type: 'SSH', datasource: 1, rawScript: 'true' },
  K8S: { datasource: 1, image: 'a' },
  JAVA: { runType: 'JAR', mainJar: { resourceName: 'a.jar' } },
  EMR: { programType: 'RUN_JOB_FLOW', jobFlowDefineJson: '{}' },
  SAGEMAKER: { sagemakerRequestJson: '{}' },
  ZEPPELIN: { noteId: 'a' },
  DVC: { dvcTaskType: 'Init DVC' },
  MLFLOW: {},
  OPENMLDB: { zk: 'a', zkPath: 'b', sql: 'select 1' },
  PYTORCH: { script: 'a.py' },
  CHUNJUN: { json: '{}' },
  LINKIS: { rawScript: 'a' },
  FLINK_STREAM: { programType: 'JAVA', mainJar: { resourceName: 'a.jar' } },
  DMS: {},
  DATASYNC: {},
  DATA_FACTORY: {},
  KUBEFLOW: { yamlContent: 'a' },
  DINKY: {},
};

describe('a task of each type', () => {
  it.each(Object.entries(everyType))(
    '%s arrives with settings that run, or is in the report',
    (type, params) => {
      const { told, ...settings } = imported(type, params);
      const schema = schemas.get(settings.type as string);
      if (schema) expect(schema.safeParse(settings.with)).toMatchObject({ success: true });
      else expect(['shell', 'http']).toContain(settings.type);
      const isPlaceholder = JSON.stringify(settings.with).includes('has to be replaced');
      expect(told.some((line) => line.startsWith('left out: a task of type'))).toBe(isPlaceholder);
      const kept = Object.keys(everyType).indexOf(type) < Object.keys(everyType).indexOf('JAVA');
      expect(isPlaceholder).toBe(!kept);
    },
  );
});

/** Every type of data source that DolphinScheduler 3 knows, and the kind of connection that stands for it. */
const everySource: Readonly<Record<string, string | undefined>> = {
  MYSQL: 'mysql',
  STARROCKS: 'mysql',
  DORIS: 'mysql',
  OCEANBASE: 'mysql',
  POSTGRESQL: 'postgresql',
  REDSHIFT: 'postgresql',
  CLICKHOUSE: 'clickhouse',
  SQLSERVER: 'sqlserver',
  AZURESQL: 'sqlserver',
  ORACLE: 'oracle',
  TRINO: 'trino',
  HIVE: 'hive',
  SPARK: 'hive',
  KYUUBI: 'hive',
  PRESTO: undefined,
  DB2: undefined,
  HANA: undefined,
  VERTICA: undefined,
  DAMENG: undefined,
  SNOWFLAKE: undefined,
  DATABEND: undefined,
  ATHENA: undefined,
  H2: undefined,
};

it.each(Object.entries(everySource))('a data source %s arrives as %s, or is in the report', (type, kind) => {
  const { told, ...settings } = imported('SQL', { type, datasource: 7, sql: 'select 1' });
  if (kind === undefined) {
    expect(told).toEqual([expect.stringContaining('left out: a task of type SQL with')]);
    return;
  }
  expect(connectionKinds.has(kind)).toBe(true);
  expect(told.join()).toContain(`orrery connections set datasource-7 --kind ${kind}`);
  expect(schemas.get(settings.type as string)?.safeParse(settings.with)).toMatchObject({ success: true });
});
