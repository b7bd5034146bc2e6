/** What a `kubernetes` task asks a cluster for, and how it reads what became of it. Pure. */
import { z } from 'zod';

const text = z.string().min(1);
const amount = text.regex(/^\d+(\.\d+)?(m|[KMGT]i?)?$/, 'is an amount, as in 500m, 2 or 4Gi');
const label = z.record(z.string().regex(/^[\w./-]{1,253}$/), z.string().regex(/^[\w.-]{0,63}$/));

/** The settings of the task. */
export const jobSchema = z.strictObject({
  connection: text.describe('The cluster.').meta({ format: 'connection' }),
  namespace: text
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'is no name of a namespace')
    .optional()
    .describe('Where it runs; that of the connection unless given.'),
  image: text,
  command: z.array(z.string()).default([]).describe('In place of the entry point of the image.'),
  args: z.array(z.coerce.string()).default([]),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.coerce.string()).default({}),
  cpu: amount.optional().describe('What it asks for and may use, as in 500m or 2.'),
  memory: amount.optional().describe('What it asks for and may use, as in 4Gi.'),
  mounts: z
    .array(
      z.strictObject({
        path: text.regex(/^\//, 'is absolute'),
        claim: text.optional().describe('A persistent volume claim.'),
        secret: text.optional(),
        configMap: text.optional(),
        readOnly: z.boolean().default(true),
      }),
    )
    .max(50)
    .default([])
    .describe('Volumes: each names one of claim, secret and configMap; an empty folder where it names none.'),
  serviceAccount: text.optional(),
  pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  pullSecret: text.optional(),
  nodeSelector: label.default({}),
  labels: label.default({}),
});

/** As the schema returns them. */
export type JobSettings = z.output<typeof jobSchema>;

/** The job in the cluster's form: one pod, never restarted by the cluster itself. */
export function jobOf(settings: JobSettings, name: string): object {
  const { image, command, args, env, cpu, memory, mounts } = settings;
  const labels = { ...settings.labels, 'app.kubernetes.io/managed-by': 'orrery', 'orrery/attempt': name };
  const amounts = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
  const hasAmounts = Object.keys(amounts).length > 0;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: 3_600,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          serviceAccountName: settings.serviceAccount,
          automountServiceAccountToken: settings.serviceAccount !== undefined,
          nodeSelector: settings.nodeSelector,
          imagePullSecrets: settings.pullSecret === undefined ? undefined : [{ name: settings.pullSecret }],
          containers: [
            {
              name: 'main',
              image,
              imagePullPolicy: settings.pullPolicy,
              command: command.length > 0 ? command : undefined,
              args: args.length > 0 ? args : undefined,
              env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
              resources: hasAmounts ? { requests: amounts, limits: amounts } : undefined,
              volumeMounts: mounts.map(({ path, readOnly }, k) => ({
                name: `v${k}`,
                mountPath: path,
                readOnly,
              })),
            },
          ],
          volumes: mounts.map(({ claim, secret, configMap }, k) => ({
            name: `v${k}`,
            ...(claim !== undefined
              ? { persistentVolumeClaim: { claimName: claim } }
              : secret !== undefined
                ? { secret: { secretName: secret } }
                : configMap !== undefined
                  ? { configMap: { name: configMap } }
                  : { emptyDir: {} }),
          })),
        },
      },
    },
  };
}

/** The used fields of a job. */
export interface Job {
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly exitCode: number; readonly reason?: string };
}

/** The used fields of a pod. */
export interface Pod {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly { readonly state?: ContainerState }[];
  };
}

/** How a job ended; undefined while it has not. */
export function endOf({ status }: Job): { readonly succeeded: boolean; readonly said: string } | undefined {
  const ended = status?.conditions?.find(
    ({ type, status: holds }) => holds === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  if (!ended) return undefined;
  const { type, reason = type, message } = ended;
  return { succeeded: type === 'Complete', said: message ? `${reason}: ${message}` : reason };
}

/** The state of a pod in a few words: its phase, the cause of its wait, its outcome. */
export function standOf({ status }: Pod): string {
  const { waiting, terminated } = status?.containerStatuses?.[0]?.state ?? {};
  if (terminated)
    return `exit code ${terminated.exitCode}${terminated.reason ? ` (${terminated.reason})` : ''}`;
  if (waiting?.reason) return `${waiting.reason}${waiting.message ? `: ${waiting.message}` : ''}`;
  return status?.phase ?? 'Pending';
}

/** Whether a pod has a log that can be read. */
export function hasLog({ status }: Pod): boolean {
  return ['Running', 'Succeeded', 'Failed'].includes(status?.phase ?? '');
}
