/** The commands about alerts as the command line sees them. */
import type { Command } from 'commander';

const load = () => import('./alerts.ts');

/** Adds `alerts`, `rules` and `channels`; `client` adds the connection options to a command. */
export function addAlerts(program: Command, client: (command: Command) => Command): void {
  const alerts = program.command('alerts').description('alerts, mutes and deliveries');
  const ofProject = (command: Command) =>
    client(command).option('--project <name>', 'a project, or * for all');
  ofProject(alerts.command('list', { isDefault: true }).description('list open alerts'))
    .option('--all', 'also those that are over')
    .action(async (options) => (await load()).listAlerts(options));
  client(
    alerts.command('ack').description('acknowledge an alert: no repeats, no escalation').argument('<id>'),
  ).action(async (id, options) => (await load()).acknowledgeAlert(id, options));
  ofProject(alerts.command('mute').description('mute alerts for a while'))
    .requiredOption('--for <duration>', 'how long, such as 2h')
    .requiredOption('--reason <text>', 'why')
    .option('--name <pattern...>', 'workflows or nodes; * stands for any text')
    .option('--kind <kind...>', 'kinds of alerts, such as run-failed')
    .action(async (options) => (await load()).muteAlerts(options));
  ofProject(alerts.command('mutes').description('list mutes')).action(async (options) =>
    (await load()).listMutes(options),
  );
  ofProject(alerts.command('unmute').description('end a mute').argument('<id>')).action(async (id, options) =>
    (await load()).unmuteAlerts(id, options),
  );
  ofProject(alerts.command('messages').description('list deliveries and their results'))
    .option('--state <state>', 'waiting, sent or failed')
    .action(async (options) => (await load()).listDeliveries(options));
  client(alerts.command('retry').description('retry a failed delivery').argument('<id>')).action(
    async (id, options) => (await load()).retryDelivery(id, options),
  );

  ofProject(
    alerts.command('test').description('send a test message to a channel').argument('<channel>'),
  ).action(async (name, options) => (await load()).testChannel(name, options));

  const rules = program.command('rules').description('alert rules: which alerts go to which channels');
  ofProject(rules.command('list', { isDefault: true }).description('list rules')).action(async (options) =>
    (await load()).listRules(options),
  );
  ofProject(rules.command('set').description('create or replace a rule'))
    .requiredOption('-f, --file <file>', 'the rule, in YAML or JSON')
    .action(async (options) => (await load()).setRule(options));
  ofProject(rules.command('preview').description('preview a rule against the last 30 days'))
    .requiredOption('-f, --file <file>', 'the rule, in YAML or JSON')
    .action(async (options) => (await load()).previewRule(options));
  ofProject(rules.command('delete').description('delete a rule').argument('<name>')).action(
    async (name, options) => (await load()).deleteRule(name, options),
  );

  const channels = program.command('channels').description('alert channels');
  ofProject(channels.command('list', { isDefault: true }).description('list channels')).action(
    async (options) => (await load()).listChannels(options),
  );
  ofProject(channels.command('set').description('create or replace a channel').argument('<name>'))
    .requiredOption('--kind <kind>', 'mail, webhook, slack, teams, snmp, …')
    .requiredOption('-f, --file <file>', 'its settings, in YAML or JSON')
    .action(async (name, options) => (await load()).setChannel(name, options));
  ofProject(channels.command('test').description('send a test message').argument('<name>')).action(
    async (name, options) => (await load()).testChannel(name, options),
  );
  ofProject(channels.command('delete').description('delete a channel').argument('<name>')).action(
    async (name, options) => (await load()).deleteChannel(name, options),
  );
}
