/** `orrery token`: tokens of other users of a server, with their roles. */
import type { Role } from '@orrery/contract/roles';
import { type Connection, connect, numberOf } from './connect.ts';
import { faint, fromNow, printJson, stateText, table, timeText } from './output.ts';

/** The options of the command line. */
type Options = Connection & { readonly json?: boolean };

/** The options of a token; the server validates them. */
export interface TokenWishes {
  readonly name: string;
  readonly role: string;
  readonly project?: string;
  readonly days: string;
}

/** Makes a token and prints it: the only time that it is seen. */
export async function createToken({
  name,
  role,
  project,
  days,
  ...options
}: TokenWishes & Options): Promise<void> {
  const made = await connect(options).createToken({
    body: {
      name,
      role: role as Role,
      project: project ?? null,
      days: days === 'never' ? null : numberOf(days, 'a number of days'),
    },
  });
  if (options.json) return printJson(made);
  console.log(made.token);
  const where = made.project === null ? 'all projects' : `project ${made.project}`;
  const until = made.expiresAt === null ? 'for ever' : `until ${timeText(made.expiresAt)}`;
  console.error(faint(`${made.role} of ${where} ${until}; it is not shown again`));
}

/** Lists tokens, newest first. */
export async function listTokens(options: Options): Promise<void> {
  const { tokens } = await connect(options).listTokens({ limit: 1_000 });
  if (options.json) return printJson({ tokens });
  if (tokens.length === 0) return console.log('there is no token but the one of the server');
  console.log(
    table(
      ['ID', 'NAME', 'ROLE', 'PROJECT', 'STATE', 'USED', 'BEGINS WITH'],
      tokens.map(({ id, name, role, project, revokedAt, expiresAt, lastUsedAt, hint }) => [
        String(id),
        name,
        role,
        project ?? 'all',
        stateText(stateOf(revokedAt, expiresAt)),
        lastUsedAt === null ? 'never' : fromNow(lastUsedAt),
        hint,
      ]),
    ),
  );
}

/** Ends a token. */
export async function revokeToken(id: string, options: Options): Promise<void> {
  const ended = await connect(options).revokeToken({ id: numberOf(id, 'the number of a token') });
  if (options.json) return printJson(ended);
  console.log(`token ${ended.id} (${ended.name}) has ended`);
}

function stateOf(revokedAt: string | null, expiresAt: string | null): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'on';
}
