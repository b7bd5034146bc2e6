/** The server that commands talk to, and the output of its refusals. */
import { InvalidInput } from '@orrery/core/errors';
import { type Client, createClient } from '@orrery/sdk/client';

/** The server's address and the caller's token. */
export interface Connection {
  readonly url?: string;
  readonly token?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:7070';

/** A client of the server that was named, by an option or by the environment. */
export function connect({ url, token }: Connection, environment = process.env): Client {
  if (url === '') throw new InvalidInput('is empty; write http://127.0.0.1:7070', '--url');
  const bearer = token ?? environment.ORRERY_TOKEN;
  if (bearer && !/^[\x21-\x7e]+$/.test(bearer))
    throw new InvalidInput('has characters that no token has', '--token');
  try {
    return createClient({
      url: serverUrl({ url }, environment),
      token: bearer,
      // Few retries: the user of a command should learn soon that the server does not answer.
      retries: 1,
    });
  } catch (error) {
    throw new InvalidInput((error as Error).message);
  }
}

/** The address of the server that commands talk to. */
export function serverUrl({ url }: Connection, environment = process.env): string {
  return url ?? (environment.ORRERY_URL || DEFAULT_URL);
}

/** A number on the command line; what it is for is named as `a run`. */
export function numberOf(text: string, what: string, least = 1): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && number >= least) return number;
  const why = /^\d{16,}$/.test(text) ? 'it is too large' : `write a whole number from ${least}, such as 12`;
  throw new InvalidInput(`"${text}" is not ${what}; ${why}`);
}
