/** `orrery audit`: changes with their authors, sign-ins and refusals. */
import { type Connection, connect, numberOf } from './connect.ts';
import { fromNow, printJson, table } from './output.ts';

/** The options of the command line. */
type Options = Connection & { readonly json?: boolean };

/** Lists the newest entries. */
export async function listAudit({
  limit = '20',
  actor,
  action,
  subject,
  ...options
}: Options & {
  readonly limit?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
}): Promise<void> {
  const filter = { actor, action, subject };
  const asked = { ...filter, limit: numberOf(limit, 'a number of entries') };
  const { entries } = await connect(options).listAudit(asked);
  if (options.json) return printJson({ entries });
  if (entries.length === 0)
    return console.log(
      Object.values(filter).some((one) => one !== undefined)
        ? 'no entry matches'
        : 'nothing has been recorded yet',
    );
  console.log(
    table(
      ['ID', 'WHEN', 'WHO', 'TOKEN', 'ADDRESS', 'ACTION', 'SUBJECT', 'DETAIL'],
      entries.map(({ id, at, actor, token, address, action, subject, detail }) => [
        String(id),
        fromNow(at),
        actor,
        token === null ? '-' : String(token),
        address ?? '-',
        action,
        subject,
        JSON.stringify(detail),
      ]),
    ),
  );
}

/** Writes all entries after a given one, oldest first, as JSON lines, at the pace of the reader. */
export async function exportAudit({
  after,
  ...options
}: Options & { readonly after?: string }): Promise<void> {
  const from = after === undefined ? undefined : numberOf(after, 'the number of an entry');
  const { body } = await connect(options).open('listAudit', { format: 'lines', after: from });
  for await (const bytes of body ?? [])
    if (!process.stdout.write(bytes))
      await new Promise<void>((drained) => process.stdout.once('drain', drained));
}
