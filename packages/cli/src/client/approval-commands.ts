/** The commands about approvals as the command line sees them. */
import type { Command } from 'commander';
import { addPair } from './pairs.ts';

const load = () => import('./approvals.ts');

/** Adds `approvals`; `client` adds the connection options to a command. */
export function addApprovals(program: Command, client: (command: Command) => Command): void {
  const approvals = program.command('approvals').description('approvals: tasks that wait for a person');
  client(approvals.command('list', { isDefault: true }).description('list open approvals'))
    .option('--project <name>', 'only of this project')
    .action(async (options) => (await load()).listApprovals(options));
  const named = (verb: string, text: string) =>
    client(approvals.command(verb).description(text).argument('<task-run>', 'RUN.TASK, such as 12.ask'));
  named('show', 'show what one asks, and what can be filled in').action(async (id, options) =>
    (await load()).showApproval(id, options),
  );
  named('answer', 'answer one')
    .argument('<answer>', 'yes or no')
    .option('-s, --set <field=value>', 'fill this in; may be repeated', addPair)
    .option('--comment <text>', 'kept with the answer')
    .action(async (id, answer, options) => (await load()).answerApproval(id, answer, options));
  named('link', 'make a link by which someone answers it without signing in, once')
    .requiredOption('--for <person>', 'who will answer, such as a mail address')
    .action(async (id, options) => (await load()).linkApproval(id, options));
}
