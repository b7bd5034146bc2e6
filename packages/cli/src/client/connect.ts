/** The server that commands talk to, and how what it refuses is told. */
import { InvalidInput } from '@orrery/core/errors';
import { type Client, createClient } from '@orrery/sdk/client';

/** Where the server is and who asks. */
export interface Connection {
  readonly url?: string;
  readonly token?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:7070';

/** A client of the server that was named, by an option or by the environment. */
export function connect({ url, token }: Connection, environment = process.env): Client {
  try {
    return createClient({
      url: url ?? environment.ORRERY_URL ?? DEFAULT_URL,
      token: token ?? environment.ORRERY_TOKEN,
      // Whoever typed a command wants to know soon that nothing answers.
      retries: 1,
    });
  } catch (error) {
    throw new InvalidInput((error as Error).message);
  }
}

/** A number on the command line. */
export function numberOf(text: string, what: string): number {
  const number = Number(text);
  if (!/^\d{1,15}$/.test(text)) throw new InvalidInput(`"${text}" is not ${what}; write a number`);
  return number;
}
