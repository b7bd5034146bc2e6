/**
 * The kinds of connections: what each is, and which settings it has. A secret field takes a reference, `${secret.NAME}`,
 * and nothing else, so that no password is ever stored. Pure data: the API checks with it, the console draws from it.
 */
import { isSecretName, secretsNamed } from '@orrery/core/params';
import { z } from 'zod';

/** A kind of connection. */
export interface ConnectionKind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What may be stored. */
  readonly schema: z.ZodObject;
  /** What a worker is given: the same with secrets put in. */
  readonly given: z.ZodObject;
  /** The npm package that a worker needs for it, where that is not installed with the product. */
  readonly driver?: string;
}

/** A field that takes the reference to a secret. */
const reference = z
  .string()
  .refine((text) => {
    const [name, ...more] = secretsNamed(text);
    return name !== undefined && more.length === 0 && isSecretName(name) && text === `\${secret.${name}}`;
  }, 'is a secret: name one, as in ${secret.db_password}, and give its value to the masters')
  .meta({ format: 'secret' });

type Shape = Record<string, z.ZodType>;

function kind(
  name: string,
  title: string,
  description: string,
  shape: (secret: z.ZodType<string>) => Shape,
  driver?: string,
): ConnectionKind {
  return {
    name,
    title,
    description,
    schema: z.strictObject(shape(reference)),
    given: z.strictObject(shape(z.string())),
    driver,
  };
}

const text = z.string().min(1);
const host = text.describe('Name or address of the server.');
const port = (standard: number) => z.int().min(1).max(65_535).default(standard);
const user = text.optional().describe('Who signs in.');
const tls = z
  .enum(['off', 'on', 'verify'])
  .default('off')
  .describe('Encryption: on accepts any certificate, verify only one that is valid for the host.');
const ca = z
  .string()
  .optional()
  .describe('Certificates to trust, as PEM text; those of the system unless given.');

const all: readonly ConnectionKind[] = [
  kind('postgresql', 'PostgreSQL', 'A PostgreSQL database, or one that speaks its protocol.', (secret) => ({
    host,
    port: port(5432),
    database: text,
    user,
    password: secret.optional(),
    tls,
    ca,
  })),
  kind(
    'mysql',
    'MySQL',
    'A MySQL or MariaDB database, or one that speaks its protocol.',
    (secret) => ({ host, port: port(3306), database: text, user, password: secret.optional(), tls, ca }),
    'mysql2',
  ),
  kind('sqlite', 'SQLite', 'A SQLite file on the worker.', () => ({
    file: text.describe("Path of the file: absolute, or below the worker's code folder."),
    readOnly: z.boolean().default(false),
  })),
  kind(
    'duckdb',
    'DuckDB',
    'A DuckDB file on the worker, or a database in memory.',
    () => ({
      file: text
        .default(':memory:')
        .describe("Path of the file: absolute, or below the worker's code folder."),
      readOnly: z.boolean().default(false),
    }),
    '@duckdb/node-api',
  ),
  kind(
    'clickhouse',
    'ClickHouse',
    'A ClickHouse database, over HTTP.',
    (secret) => ({
      host,
      port: port(8123),
      database: text.default('default'),
      user,
      password: secret.optional(),
      tls,
      ca,
    }),
    '@clickhouse/client',
  ),
  kind(
    'sqlserver',
    'SQL Server',
    'A Microsoft SQL Server or Azure SQL database.',
    (secret) => ({ host, port: port(1433), database: text, user, password: secret.optional(), tls, ca }),
    'tedious',
  ),
  kind(
    'oracle',
    'Oracle',
    'An Oracle database from 12.1 on; it needs no client libraries.',
    (secret) => ({
      host,
      port: port(1521),
      service: text.describe('Name of the service, as in the connect string host:port/service.'),
      user,
      password: secret.optional(),
      tls: z
        .enum(['off', 'verify'])
        .default('off')
        .describe('Encryption: verify accepts only a certificate that is valid for the host.'),
      ca,
    }),
    'oracledb',
  ),
  kind(
    'trino',
    'Trino',
    'A Trino cluster.',
    (secret) => ({
      host,
      port: port(8080),
      catalog: text.optional().describe('Catalog of names without one.'),
      schema: text.optional().describe('Schema of names without one.'),
      user,
      password: secret.optional().describe('Trino takes a password only with encryption.'),
      tls,
      ca,
    }),
    'trino-client',
  ),
  kind(
    'hive',
    'Hive',
    'A HiveServer2, or one that speaks its protocol: for beeline, or for SQL with the package.',
    (secret) => ({
      url: text
        .regex(/^jdbc:/, 'begins with jdbc:')
        .describe('As beeline takes it: jdbc:hive2://host:10000/database.'),
      user,
      password: secret.optional(),
    }),
    'hive-driver',
  ),
  kind('http', 'HTTP', 'An HTTP API, with the credentials for it.', (secret) => ({
    url: z
      .url({ protocol: /^https?$/ })
      .describe('Address of the API; credentials are sent to addresses below it alone.'),
    token: secret.optional().describe('Sent as "Authorization: Bearer …".'),
    user,
    password: secret.optional().describe('With user, in place of a token.'),
  })),
  kind('jobs', 'Elastic jobs', 'A namespace of elastic jobs in a registry.', (secret) => ({
    url: z
      .string()
      .regex(
        /^(postgres(ql)?|etcd|zookeeper):\/\/[^@\s]+$/,
        'is a registry without credentials, as in postgres://host/db; they are settings of their own',
      )
      .describe('Where the registry is: postgres://…, etcd://… or zookeeper://….'),
    namespace: text.describe("The jobs' namespace."),
    user,
    password: secret.optional(),
  })),
  kind('ssh', 'SSH', 'A host that scripts are run on over SSH, with a key.', (secret) => ({
    host: text
      .regex(/^[^-\s][^\s]*$/, 'is the name or the address of a host')
      .describe('Name or address of the host.'),
    port: port(22),
    user: text.describe('Who signs in.'),
    key: secret.describe('The private key, as a secret; without a passphrase.'),
    hostKey: text
      .regex(
        /^(\s*(ssh|ecdsa|sk)-[\w@.-]+ [\w+/=]+[^\n]*\n?)+$/,
        'is a public key of the host, as in "ssh-ed25519 AAAA…"',
      )
      .describe('Public keys of the host, one a line, as "ssh-keyscan HOST" prints them without the name.'),
  })),
  kind('kubernetes', 'Kubernetes', 'A Kubernetes cluster, by the token of a service account.', (secret) => ({
    server: z
      .url({ protocol: /^https?$/ })
      .describe('Address of its API, as in https://cluster.example.org:6443.'),
    namespace: text
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'is no name of a namespace')
      .default('default'),
    token: secret.describe('The token of a service account that may make jobs and read pods and their logs.'),
    ca,
  })),
  kind('s3', 'S3', 'A bucket of objects on S3, or on a store that speaks its protocol.', (secret) => ({
    endpoint: z
      .url({ protocol: /^https?$/ })
      .describe('Address of the store, as in https://s3.eu-central-1.amazonaws.com.'),
    region: text.default('us-east-1'),
    bucket: text
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is no name of a bucket')
      .describe('The bucket.'),
    accessKey: text.describe('Who asks: the id of the access key.'),
    secretKey: secret.describe('The secret of the access key.'),
  })),
  kind('smtp', 'SMTP', 'A server that takes mail.', (secret) => ({
    host,
    port: port(587),
    security: z
      .enum(['none', 'starttls', 'tls'])
      .default('starttls')
      .describe(
        'starttls refuses a server without encryption; tls encrypts from the first byte, mostly on port 465.',
      ),
    user,
    password: secret.optional(),
    from: text.describe('The sender, as in "Orrery <orrery@example.org>".'),
    ca,
  })),
];

/** Every kind, by name. */
export const connectionKinds: ReadonlyMap<string, ConnectionKind> = new Map(
  all.map((one) => [one.name, one]),
);

/** The kinds as the API shows them. */
export function listKinds() {
  return all.map(({ name, title, description, schema, driver }) => ({
    name,
    title,
    description,
    driver,
    schema: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
  }));
}

/** The settings of a connection as its kind completes them, or their errors, one per line. */
export function checkConnection(
  kindName: string,
  settings: unknown,
): { readonly settings: Record<string, unknown> } | { readonly problems: readonly string[] } {
  const found = connectionKinds.get(kindName);
  if (!found)
    return { problems: [`there is no kind "${kindName}"; use ${[...connectionKinds.keys()].join(', ')}`] };
  const { success, data, error } = found.schema.safeParse(settings);
  if (success) return { settings: data };
  return {
    problems: error.issues.map(({ path, message }) => `${['settings', ...path].join('.')}: ${message}`),
  };
}
