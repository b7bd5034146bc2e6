/** The settings of `orrery dev` as its API shows them: those of a server that it has, under the same names. */
import { resolve } from 'node:path';
import { type Effective, shown } from '../server/settings.ts';
import type { DevOptions } from './dev.ts';

/** Each with its value and where that comes from. */
export function devSettings(
  {
    data,
    port,
    database,
    code,
    plugin,
    slots,
    secrets,
    token,
    sample,
    console,
    logFormat,
    logLevel,
  }: DevOptions,
  isGiven: (name: string) => boolean,
  environment = process.env,
): readonly Effective[] {
  const values = {
    role: 'dev',
    data: resolve(data),
    port,
    database,
    code: resolve(code),
    slots,
    secrets,
    console,
    logFormat,
    logLevel,
  };
  const rest = { plugin: plugin.join(', ') || undefined, sample: sample.join(', ') || undefined };
  const isSet = token === undefined && Boolean(environment.ORRERY_TOKEN);
  return [
    ...Object.entries({ ...values, ...rest }).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? shown([value]) : (value ?? null),
      source: isGiven(name) ? 'option' : 'default',
      secret: false,
    })),
    {
      name: 'token',
      value: null,
      source: token === undefined ? (isSet ? 'ORRERY_TOKEN' : 'default') : 'option',
      secret: true,
    },
  ];
}
