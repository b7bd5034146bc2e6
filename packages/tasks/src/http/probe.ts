/** Tests a connection of kind `http`: asks for its address, with its credentials. */
import { createGate, exchange } from '@orrery/worker/http';
import { TaskFailure } from '@orrery/worker/plugin';
import type { Probe } from '../connections/test-task.ts';
import type { Places } from '../places.ts';

const CONNECT_WITHIN = 10_000;
const LARGEST_ANSWER = 1_048_576;

/** Made for one worker. */
export function probeHttp({ httpAllow = [] }: Places): Probe {
  const gate = createGate(httpAllow);
  return async ({ signal }, given) => {
    const { url, token, user, password = '' } = given as Record<string, string | undefined>;
    const basic = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const authorization = token === undefined ? user && basic : `Bearer ${token}`;
    const headers = { 'user-agent': 'orrery', ...(authorization && { authorization }) };
    const { status } = await exchange(
      { url: new URL(url ?? ''), method: 'GET', headers, body: undefined },
      { connectTimeout: CONNECT_WITHIN, maxResponse: LARGEST_ANSWER, signal, gate },
    );
    if (status === 401 || status === 403 || status >= 500)
      throw new TaskFailure(`${url} answered with ${status}`);
    return `${new URL(url ?? '').host}, status ${status}`;
  };
}
