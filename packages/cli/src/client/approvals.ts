/** `orrery approvals`: tasks that wait for a person's approval. */
import { InvalidInput } from '@orrery/core/errors';
import { type Connection, connect, serverUrl } from './connect.ts';
import { faint, fromNow, printJson, printTable, table } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** Lists those that wait. */
export async function listApprovals(options: Options & { readonly project?: string }): Promise<void> {
  const answer = await connect(options).listApprovals({ project: options.project });
  printTable(
    answer,
    options,
    'no approvals wait',
    ['APPROVAL', 'WORKFLOW', 'QUESTION', 'SINCE'],
    answer.approvals.map(({ id, project, workflow, message, since }) => [
      id,
      `${project}/${workflow}`,
      message.split('\n', 1)[0],
      fromNow(since),
    ]),
  );
}

/** Shows what one asks. */
export async function showApproval(id: string, options: Options): Promise<void> {
  const shown = await connect(options).showApproval({ id });
  if (options.json) return printJson(shown);
  console.log(faint(`${shown.id} of ${shown.project}/${shown.workflow}`));
  console.log(shown.message);
  if (shown.fields.length > 0)
    console.log(
      table(
        ['FIELD', 'TYPE', 'DEFAULT', 'DESCRIPTION'],
        shown.fields.map(({ name, type, required, default: usual, options, description }) => [
          name,
          options ? options.join('|') : type,
          usual ?? (required ? '(required)' : ''),
          description ?? '',
        ]),
      ),
    );
  if (shown.until !== null) console.log(faint(`until ${shown.until}`));
  if (shown.refusal !== null) console.log(faint(shown.refusal));
}

/** Answers one. */
export async function answerApproval(
  id: string,
  answer: string,
  options: Options & { readonly set?: Readonly<Record<string, string>>; readonly comment?: string },
): Promise<void> {
  if (answer !== 'yes' && answer !== 'no')
    throw new InvalidInput(`"${answer}" is not an answer; write yes or no`);
  const { set: values, comment } = options;
  const said = await connect(options).answerApproval({ id, body: { answer, values, comment } });
  if (options.json) return printJson(said);
  console.log(`${said.id}: ${said.answer} by ${said.by}`);
}

/** Makes a link; it is shown only now. */
export async function linkApproval(id: string, options: Options & { readonly for: string }): Promise<void> {
  const { path } = await connect(options).linkApproval({ id, body: { for: options.for } });
  const link = `${serverUrl(options).replace(/\/+$/, '')}${path}`;
  if (options.json) return printJson({ link });
  console.log(link);
}
