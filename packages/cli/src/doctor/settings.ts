/** The configuration that takes effect, each value with where it comes from: of this command, and of the server. */
import { resolve } from 'node:path';
import { apiDefaults } from '@orrery/api';
import { type Connection, connect } from '../client/connect.ts';
import { DEFAULT_DATA } from '../db/place.ts';

/** What the command was given. */
export interface DoctorOptions {
  readonly url?: string;
  readonly token?: string;
  readonly data?: string;
  readonly secrets?: string;
  readonly json?: boolean;
}

/** One value. */
export interface Setting {
  readonly name: string;
  readonly value: unknown;
  /** `option`, the name of an environment variable, or `default`. */
  readonly source: string;
}

/** What this command uses. What could be secret, the token, is never shown. */
export function settingsOf(options: DoctorOptions, environment = process.env): Setting[] {
  const token = choose('token', options.token, 'none', ['ORRERY_TOKEN', environment.ORRERY_TOKEN]);
  const data = choose('data', options.data, DEFAULT_DATA);
  return [
    choose('url', options.url, `http://${apiDefaults.host}:${apiDefaults.port}`, [
      'ORRERY_URL',
      environment.ORRERY_URL,
    ]),
    token.source === 'default' ? token : { ...token, value: 'set' },
    { ...data, value: resolve(String(data.value)) },
    choose('secrets', options.secrets, 'none', ['ORRERY_SECRETS', environment.ORRERY_SECRETS]),
  ];
}

/** The settings of the answering server; none if no server answers, or if the caller may not see them. */
export async function serverSettings(connection: Connection): Promise<Setting[] | undefined> {
  try {
    const { settings } = await connect(connection).showConfig();
    return settings.map(({ name, value, source, secret }) => ({
      name: `server.${name}`,
      value: secret ? (source === 'default' ? 'none' : 'set') : (value ?? 'none'),
      source,
    }));
  } catch {
    return undefined;
  }
}

function choose(
  name: string,
  option: string | undefined,
  otherwise: string,
  [variable, value]: readonly [name: string, value: string | undefined] = ['', undefined],
): Setting {
  if (option !== undefined) return { name, value: option, source: 'option' };
  if (value !== undefined) return { name, value, source: variable };
  return { name, value: otherwise, source: 'default' };
}
