/** Programs that tests start themselves and that only have to be installed. */
import { findCommand, type Program } from './service.ts';

/** For browser tests. Without a window a page costs a sixth less. */
export const chromium: Program = {
  name: 'chromium',
  packages: ['chromium-headless-shell'],
  find: () => findCommand('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'),
};

/** For the commands of the API's documentation. */
export const curl: Program = command('curl');

/** For the certificates of a cluster, made by the commands of its documentation. */
export const openssl: Program = command('openssl');

/** For the test that the registry refuses it in transaction mode. */
export const pgbouncer: Program = command('pgbouncer');

function command(name: string): Program {
  return { name, packages: [name], find: () => findCommand(name) };
}
