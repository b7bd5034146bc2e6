/** `orrery doctor`: prints the effective configuration and the problems on this machine. */
import { resolve } from 'node:path';
import { faint, printJson, table } from '../client/output.ts';
import { DEFAULT_DATA } from '../db/place.ts';
import {
  checkCompileCache,
  checkData,
  checkDisk,
  checkDrivers,
  checkNode,
  checkReferences,
  checkSecrets,
  checkServer,
} from './checks.ts';
import { settingsInForce } from './in-force.ts';
import { checkRoles } from './roles.ts';
import { type DoctorOptions, serverSettings, settingsOf } from './settings.ts';

/** Runs the command; the exit code is 1 when something is wrong. */
export async function doctor(options: DoctorOptions): Promise<void> {
  const data = resolve(options.data ?? DEFAULT_DATA);
  const inForce = await settingsInForce(options);
  const ofServer = await serverSettings(options);
  const settings = [...settingsOf(options), ...(ofServer ?? []), ...inForce.settings];
  const server = [
    await checkServer(options),
    await checkRoles(options),
    inForce.check,
    ...(await checkReferences(options)),
  ];
  const secrets = checkSecrets(options.secrets ?? process.env.ORRERY_SECRETS);
  const code = ofServer?.find(({ name }) => name === 'server.code')?.value;
  const machine = [checkNode(), checkCompileCache(), checkDrivers(resolve(String(code ?? '.')))];
  const checks = [...machine, ...server, checkData(data), checkDisk(data), secrets].filter(
    (found) => found !== undefined,
  );
  if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
  if (options.json) return printJson({ settings, checks });
  const rows = settings.map(({ name, value, source }) => [name, show(value), source]);
  console.log(table(['SETTING', 'VALUE', 'SOURCE'], rows));
  if (!ofServer && server[0]?.ok)
    console.log(faint('the settings of the server are shown to an admin: give such a token with --token'));
  console.log();
  for (const { name, ok, text } of checks) console.log(`${ok ? 'ok   ' : 'wrong'} ${name}: ${text}`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
