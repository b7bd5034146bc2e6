/** The configuration as it takes effect here, each value with where it comes from. */
import { resolve } from 'node:path';
import { apiDefaults } from '@orrery/api';
import { masterDefaults } from '@orrery/master';
import { workerDefaults } from '@orrery/worker';
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

/** Every value that counts. What could be secret, the token and the environment of tasks, is never shown. */
export function settingsOf(options: DoctorOptions, environment = process.env): Setting[] {
  const token = choose('token', options.token, 'none', ['ORRERY_TOKEN', environment.ORRERY_TOKEN]);
  const { environment: _secret, ...worker } = workerDefaults();
  const { retention, ...master } = masterDefaults;
  const data = choose('data', options.data, DEFAULT_DATA);
  return [
    choose('url', options.url, `http://${apiDefaults.host}:${apiDefaults.port}`, [
      'ORRERY_URL',
      environment.ORRERY_URL,
    ]),
    token.source === 'default' ? token : { ...token, value: 'set' },
    choose('noToken', undefined, 'false', ['ORRERY_NO_TOKEN', environment.ORRERY_NO_TOKEN]),
    { ...data, value: resolve(String(data.value)) },
    choose('secrets', options.secrets, 'none', ['ORRERY_SECRETS', environment.ORRERY_SECRETS]),
    ...defaults('master', master),
    ...defaults('retention', retention),
    // `orrery dev` differs from a worker of a cluster in this one.
    ...defaults('worker', { ...worker, dev: true }),
  ];
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

function defaults(part: string, values: object): Setting[] {
  return Object.entries(values).map(([name, value]) => ({
    name: `${part}.${name}`,
    value,
    source: 'default',
  }));
}
