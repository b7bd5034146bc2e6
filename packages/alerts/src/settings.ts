/**
 * Settings of channels: those that all kinds share, and those of one kind. They are checked while secrets are
 * still references.
 */
import { putSecretsWithin, secretsWithin } from '@orrery/core/params';
import { z } from 'zod';
import { channelKinds } from './channels/index.ts';
import { languages } from './message.ts';
import { templateSchema } from './template.ts';

/** Settings of every kind of channel. */
const shared = {
  language: z.enum(languages).optional(),
  template: templateSchema.optional().describe('Your own title and text, with {{name}} for values.'),
};
const sharedSchema = z.object(shared);
export type SharedSettings = z.output<typeof sharedSchema>;

/** An error in settings, and its place. */
export interface SettingsProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Reads settings, whose secrets are resolved or still references, or returns their errors. */
export function readSettings(
  kind: string,
  settings: unknown,
): { readonly shared: SharedSettings; readonly own: unknown } | { readonly wrong: SettingsProblem } {
  const found = Object.hasOwn(channelKinds, kind) ? channelKinds[kind] : undefined;
  if (!found) {
    const message = `"${kind}" is unknown; use one of ${Object.keys(channelKinds).join(', ')}`;
    return { wrong: { path: ['kind'], message } };
  }
  const read = sharedSchema.safeParse(settings);
  if (!read.success) return { wrong: problemOf(read.error) };
  const { language: _, template: __, ...rest } = settings as Record<string, unknown>;
  const own = found.schema.safeParse(rest);
  return own.success ? { shared: read.data, own: own.data } : { wrong: problemOf(own.error) };
}

/** The error in a channel's settings before they are stored; undefined if there is none. */
export function settingsProblem(kind: string, settings: unknown): SettingsProblem | undefined {
  // A secret may be a whole address; what it is turns out when a message is sent.
  const stand = new Map(secretsWithin(settings).map((name) => [name, 'https://secret.invalid']));
  const read = readSettings(kind, putSecretsWithin(settings, stand));
  if ('wrong' in read) return read.wrong;
  const given = settings as Readonly<Record<string, unknown>>;
  if (secretsWithin(given.template).length > 0)
    return {
      path: ['settings', 'template'],
      message: 'must name no secret: everybody who gets the message reads it',
    };
  const open = channelKinds[kind].secrets.find((name) => [given[name]].flat().some(isOpenText));
  if (open === undefined) return undefined;
  const message = 'is a secret; name one, as in ${secret.NAME}, and give its value to the masters';
  return { path: ['settings', open], message };
}

/** A problem in one line. */
export function settingsProblemText({ path, message }: SettingsProblem): string {
  return `${path.join('.')}: ${message}`;
}

/** Whether this is a secret's value instead of a reference. */
function isOpenText(value: unknown): boolean {
  return typeof value === 'string' && secretsWithin(value).length === 0;
}

/** The kinds of channels with the schemas of their settings, for forms. */
export function listChannelKinds(): { readonly name: string; readonly schema: Record<string, unknown> }[] {
  return Object.entries(channelKinds).map(([name, { schema }]) => {
    const own = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
    const common = z.toJSONSchema(sharedSchema, { io: 'input' }).properties;
    const withShared = (one: Record<string, unknown>) => ({
      ...one,
      properties: { ...(one.properties as object), ...common },
    });
    const { oneOf } = own as { oneOf?: Record<string, unknown>[] };
    return { name, schema: oneOf ? { ...own, oneOf: oneOf.map(withShared) } : withShared(own) };
  });
}

function problemOf(error: z.ZodError): SettingsProblem {
  const [{ path, message }] = error.issues;
  return { path: ['settings', ...(path as (string | number)[])], message };
}
