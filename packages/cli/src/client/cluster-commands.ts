/** The commands about the cluster on the command line: plans, nodes, owners of schedules. */
import type { Command } from 'commander';
import { addPair } from './pairs.ts';

/** Adds the connection options to a command. */
type Client = (command: Command) => Command;

/** Adds `cluster`, `plan`, `nodes`, `worker-groups` and `ownership`. */
export function addCluster(program: Command, client: Client): void {
  addPlans(program, client);
  addNodes(program, client);
  addWorkerGroups(program, client);
  addOwnership(program, client);
}

function addPlans(program: Command, client: Client): void {
  const load = () => import('./plans.ts');
  const cluster = program
    .command('cluster')
    .description('how masters share the work, and what happened to nodes');
  client(
    cluster
      .command('show', { isDefault: true })
      .description('who leads, the registry, and what each master holds; exit code 1 if something is wrong'),
  ).action(async (options) => (await load()).showCluster(options));
  client(
    cluster
      .command('events')
      .description('what happened to masters, workers and plans, newest first')
      .option('--node <name>', 'only what happened to this node')
      .option('--limit <number>', 'how many', '20'),
  ).action(async (options) => (await load()).listClusterEvents(options));
  client(
    program
      .command('plan')
      .description('the plans by which masters share schedules; with a schedule, who fires it and why')
      .argument('[schedule]', 'its number, or its workflow')
      .argument('[name]', 'its name, where the workflow has several')
      .option('--number <number>', 'one plan: which schedules it gives to which master, and what it moved'),
  ).action(async (schedule, name, options) => {
    const plans = await load();
    if (options.number !== undefined) await plans.showPlan(options);
    else if (schedule === undefined) await plans.listPlans(options);
    else await plans.showHolder(schedule, name, options);
  });
}

function addNodes(program: Command, client: Client): void {
  const load = () => import('./nodes.ts');
  const nodes = program.command('nodes').description('masters and workers');
  client(nodes.command('list', { isDefault: true }).description('list them')).action(async (options) =>
    (await load()).listNodes(options),
  );
  client(
    nodes.command('attempts').description('what a worker runs now').argument('<node>', 'its name'),
  ).action(async (node, options) => (await load()).listAttempts(node, options));
  client(
    nodes
      .command('drain')
      .description('drain a node: it takes no new work; running work is not interrupted')
      .argument('<node>', 'its name'),
  )
    .option(
      '--timeout <duration>',
      'how long runs of a master may end there before they are handed over',
      '30s',
    )
    .option('--together', 'also while another master drains, although their tolerances differ')
    .option('--dry-run', 'only say whether the others can carry on')
    .action(async (node, options) => (await load()).drainNode(node, options));
  client(
    nodes
      .command('invite')
      .description('invite a worker and print its join token')
      .argument('<worker>', 'its name'),
  )
    .option('--groups <names>', 'the worker groups that it may serve, separated by commas', 'default')
    .action(async (worker, options) => (await load()).inviteNode(worker, options));
  client(nodes.command('invitations').description('list invitations')).action(async (options) =>
    (await load()).listInvitations(options),
  );
  client(
    nodes
      .command('uninvite')
      .description('revoke an invitation and end the session of its worker')
      .argument('<worker>', 'its name'),
  ).action(async (worker, options) => (await load()).uninviteNode(worker, options));
  client(nodes.command('undrain').description('undo a drain').argument('<node>', 'its name')).action(
    async (node, options) => (await load()).undrainNode(node, options),
  );
  client(nodes.command('forget').description('forget a node that is gone').argument('<node>', 'its name'))
    .option('--dry-run', 'only say whether it can be')
    .action(async (node, options) => (await load()).forgetNode(node, options));
}

function addWorkerGroups(program: Command, client: Client): void {
  const load = () => import('./worker-groups.ts');
  const groups = program
    .command('worker-groups')
    .description("which projects' tasks the workers of a group take, and how one is chosen");
  client(groups.command('list', { isDefault: true }).description('list them')).action(async (options) =>
    (await load()).listWorkerGroups(options),
  );
  client(
    groups.command('set').description('restrict a group to projects, or open it to all').argument('<group>'),
  )
    .requiredOption('--projects <names>', 'a,b or all')
    .action(async (group, options) => (await load()).setWorkerGroup(group, options));
  client(
    groups
      .command('choose')
      .description('set how one chooses who takes an attempt')
      .argument('<group>')
      .argument('<choice>', 'queue, least-loaded, weighted or sticky'),
  )
    .option('--weight <worker=number>', 'of a worker, 1 unless given; may be repeated', addPair)
    .action(async (group, choice, options) => (await load()).setWorkerChoice(group, choice, options));
}

function addOwnership(program: Command, client: Client): void {
  const load = () => import('./ownership.ts');
  const ownership = program.command('ownership').description('who fires which schedule');
  client(
    ownership
      .command('show', { isDefault: true })
      .description('show the mode, and what each master holds and may hold'),
  ).action(async (options) => (await load()).showOwnership(options));
  client(ownership.command('set').description('change some of it; masters follow while they run'))
    .option(
      '--mode <mode>',
      'scope: masters share schedules by plan; claim: each takes free ones up to a limit',
    )
    .option('--tolerance <number>', 'how many masters may die at once without leaving a schedule to nobody')
    .option('--alarm-above <number>', 'a master that claims and then holds more than this raises an alert')
    .option('--sweep-every <duration>', 'between two sweeps for schedules that no event brought up')
    .option('--master-tolerance <name=number>', 'of one master, or none; may be repeated', addPair)
    .option('--master-alarm <name=number>', 'of one master, or none; may be repeated', addPair)
    .option(
      '--master-weight <name=number>',
      'how much more than others one master carries, or none; may be repeated',
      addPair,
    )
    .action(async (options) => (await load()).setOwnership(options));
  client(
    ownership
      .command('schedules')
      .description('list schedules and the masters that hold them')
      .option('--holder <name>', 'only those of this master'),
  ).action(async (options) => (await load()).listHoldings(options));
  client(ownership.command('claim-now').description('have masters look for free schedules at once')).action(
    async (options) => (await load()).claimNow(options),
  );
}
