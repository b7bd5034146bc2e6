/** The commands that talk to a server, as the command line sees them; what carries one out is loaded when called. */
import type { Command } from 'commander';
import { addAlerts } from './alert-commands.ts';
import { addApprovals } from './approval-commands.ts';
import { addCluster } from './cluster-commands.ts';
import { addPair } from './pairs.ts';

/** Adds all of them. */
export function addClientCommands(program: Command): void {
  addApply(program);
  addWorkflows(program);
  addRun(program);
  addBackfill(program);
  addRuns(program);
  addBulk(program);
  addLogs(program);
  addSchedules(program);
  addTokens(program);
  addAudit(program);
  addParameters(program);
  addEnvironments(program);
  addSecrets(program);
  addCalendars(program);
  addConnections(program);
  addApprovals(program, client);
  addGroups(program);
  addAlerts(program, client);
  addLimits(program);
  addJobs(program);

  client(
    program
      .command('why')
      .description('explain why a run or task run waits')
      .argument('<id>', '12 or 12.extract'),
  ).action(async (id, options) => (await import('./why.ts')).why(id, options));

  addCluster(program, client);
}

function addApply(program: Command): void {
  client(program.command('apply').description('publish workflow files'))
    .requiredOption(
      '-f, --file <path...>',
      'files, modules that export workflows, folders of them, or - for standard input',
    )
    .option('--dry-run', 'only say what would change')
    .option('--note <text>', 'what the new versions are for')
    .action(async (options) => (await import('./apply.ts')).apply(options));
}

function addWorkflows(program: Command): void {
  const workflows = program
    .command('workflows')
    .description('list, compare, rename, restore, export and delete workflows');
  const load = () => import('./workflows.ts');
  const which = 'project/name, or name in the project "default"';
  client(workflows.command('list', { isDefault: true }).description('list workflows by name'))
    .option('--project <name>', 'only of this project')
    .option('--q <text>', 'only with these letters in the name')
    .option('--tag <tags>', 'only with all of these tags')
    .option('--owner <name>', 'only published by this person')
    .option('--state <states>', 'only with the last run in one of these states')
    .option('--schedule <state>', 'only with schedules that are on or paused, or with none')
    .action(async (options) => (await load()).listWorkflows(options));
  client(
    workflows
      .command('versions')
      .description('list the versions of a workflow')
      .argument('<workflow>', which),
  ).action(async (workflow, options) => (await load()).listVersions(workflow, options));
  client(
    workflows
      .command('rename')
      .description('rename a workflow or move it to another project; it keeps its history'),
  )
    .argument('<workflow>', which)
    .argument('<to>', 'the new name, or project/name')
    .option('--note <text>', 'what it is for')
    .action(async (workflow, to, options) => (await load()).renameWorkflow(workflow, to, options));
  client(workflows.command('diff').description('compare two versions, or a version with the draft'))
    .argument('<workflow>', which)
    .argument('<from>', 'a version, or draft')
    .argument('[to]', 'another (default: the live version)')
    .action(async (workflow, from, to, options) =>
      (await import('./compare.ts')).compareVersions(workflow, from, to, options),
    );
  client(
    workflows
      .command('offline')
      .description('take a workflow offline: skip its ticks and refuse starts; open runs continue')
      .argument('<workflow>', which),
  ).action(async (workflow, options) => (await load()).setOnline(workflow, false, options));
  client(
    workflows.command('online').description('bring a workflow back online').argument('<workflow>', which),
  ).action(async (workflow, options) => (await load()).setOnline(workflow, true, options));
  client(
    workflows
      .command('delete')
      .description('delete a workflow with its schedules and draft; its runs are kept')
      .argument('<workflow>', which),
  ).action(async (workflow, options) => (await load()).deleteWorkflow(workflow, options));
  client(workflows.command('restore').description('publish an earlier version again'))
    .argument('<workflow>', which)
    .argument('<version>', 'its number')
    .option('--note <text>', 'what it is for')
    .action(async (workflow, version, options) => (await load()).restoreVersion(workflow, version, options));
  client(workflows.command('export').description('export workflows as files for "orrery apply"'))
    .argument('[workflow]', 'only this one, which is printed without --out')
    .option('--project <name>', 'only of this project')
    .option('--out <folder>', 'where to; a folder for each project')
    .action(async (workflow, options) => (await load()).exportWorkflows(workflow, options));
}

function addRun(program: Command): void {
  scoped(client(program.command('run').description('start a run of a workflow')))
    .argument('<workflow>', 'project/name, or name in the project "default"')
    .option('-p, --param <key=value>', 'a parameter; may be repeated', addPair)
    .option('--priority <name>', 'highest, high, medium, low or lowest')
    .option('--tag <tag...>', 'what to find it by, besides the tags of the workflow')
    .option(
      '--business-time <time>',
      'ISO 8601, or yyyy-MM-dd HH:mm:ss in the zone of the workflow (default: now)',
    )
    .option('--dry-run', 'run nothing: walk the graph, and show what each task would be given')
    .option('--counts', 'count it as a run of its workflow, although it is a dry run or runs only some tasks')
    .option('--draft', 'a test run of its draft, which counts for nothing')
    .option('--key <text>', 'start no second run for the same key')
    .option('--wait', 'wait for the end; exit code 1 unless it succeeds')
    .action(async (workflow, options) => (await import('./run.ts')).run(workflow, options));
}

function addBackfill(program: Command): void {
  client(program.command('backfill').description('run a workflow for past business times'))
    .argument('<workflow>', 'project/name, or name in the project "default"')
    .option('--from <time>', 'the first business time; a date means its first moment')
    .option('--to <time>', 'the last one; a date means the whole day')
    .option('--times <time...>', 'these business times instead of a range')
    .option('--schedule <name>', 'whose ticks are meant (default: the only schedule of the workflow)')
    .option('--cron <cron>', 'ticks of this instead of a schedule')
    .option('--every <duration>', 'an interval such as 1h, counted from --from, instead of a schedule')
    .option('--tz <zone>', 'the zone of --cron and of times without an offset')
    .option('--parallel <number>', 'how many business times are open at once (default: 1)')
    .option('--order <order>', 'oldest or newest first (default: oldest)')
    .option('--on-failure <what>', 'continue, or stop to start no more after a failure (default: continue)')
    .option('--downstream', 'after each run also run the workflows that depend on it')
    .option('--latest', 'the version that is live at each start (default: that of now, for all runs)')
    .option('-p, --param <key=value>', 'a parameter for every run; may be repeated', addPair)
    .option('--priority <name>', 'highest, high, medium, low or lowest')
    .option('--key <text>', 'start no second backfill for the same key')
    .option('--dry-run', 'only list the business times')
    .option('--wait', 'wait for the end; exit code 1 unless all runs succeed')
    .action(async (workflow, options) => (await import('./backfill.ts')).backfill(workflow, options));
}

function addRuns(program: Command): void {
  const runs = program.command('runs').description('list, show and control runs');
  client(choosing(runs.command('list', { isDefault: true }).description('list runs, newest first')))
    .option('--limit <number>', 'how many (default: 20)')
    .option('--order <order>', 'newest, oldest, longest or shortest first (default: newest)')
    .action(async (options) => (await import('./runs.ts')).listRuns(options));
  client(runs.command('show').description('show a run and its task runs').argument('<run>')).action(
    async (id, options) => (await import('./runs.ts')).showRun(id, options),
  );
  client(runs.command('start').description('start many runs from a file'))
    .requiredOption(
      '-f, --file <file>',
      'one JSON object a line, such as {"workflow": "hello", "params": {}, "key": "a"}; - is standard input',
    )
    .action(async (options) => (await import('./start-many.ts')).startMany(options));
  client(runs.command('set-priority').description('change the priority of runs that have not started'))
    .argument('<priority>', 'highest, high, medium, low or lowest')
    .argument('<run...>')
    .option('--reason <text>', 'why, for the history of the run')
    .action(async (priority, ids, options) =>
      (await import('./runs.ts')).setPriority(priority, ids, options),
    );
  client(runs.command('tag').description('set the tags of a run; without tags, remove them all'))
    .argument('<run>')
    .argument('[tag...]')
    .action(async (id, tags, options) => (await import('./runs.ts')).tagRun(id, tags, options));
  const controls = {
    pause: 'start no more tasks; let running ones finish',
    resume: 'continue after a pause',
    stop: 'stop now and kill running tasks',
    recover: 'rerun failed and stopped tasks and everything downstream',
    rerun: 'rerun all tasks, or some',
  };
  for (const name of Object.keys(controls) as (keyof typeof controls)[]) {
    const text = controls[name];
    const command = client(runs.command(name).description(text).argument('<run...>'));
    if (name === 'rerun') scoped(command);
    asking(command).action(async (ids, options) =>
      (await import('./runs.ts')).controlRuns(name, ids, options),
    );
  }
  const replay = client(
    runs.command('replay').description('start a new run with the same input, with changes if given'),
  );
  scoped(replay.argument('<run>'))
    .option('--latest', 'of the latest version (default: of the same)')
    .option('-p, --param <key=value>', 'a parameter to change; may be repeated', addPair)
    .option('--priority <name>', 'highest, high, medium, low or lowest')
    .option('--business-time <time>', 'another one')
    .option('--dry-run', 'run nothing: walk the graph, and show what each task would be given')
    .option('--counts', 'count it as a run of its workflow, although it is a dry run or runs only some tasks')
    .option('--no-dry-run', 'run it, although this one was a dry run')
    .option('--key <text>', 'start no second run for the same key')
    .option('--wait', 'wait for the end; exit code 1 unless it succeeds')
    .action(async (id, options) => (await import('./run.ts')).replay(id, options));
  addTaskControls(runs);
}

function addTaskControls(runs: Command): void {
  const controls = {
    force: 'count a task as succeeded',
    kill: 'end one task; the run goes on as after a failure',
    'start-now': 'end the delay of a task, or its wait for a retry or a slot',
  };
  for (const name of Object.keys(controls) as (keyof typeof controls)[]) {
    const command = client(runs.command(name).description(controls[name]));
    asking(command.argument('<task-run...>', 'RUN.TASK, such as 12.extract')).action(
      async (taskRuns, options) => (await import('./task-controls.ts')).controlTasks(name, taskRuns, options),
    );
  }
  const set = client(
    runs
      .command('set')
      .description(
        'change parameters of a run that waits or is paused, or how much of a backfill runs at once',
      ),
  );
  asking(set.argument('<run...>'))
    .option('-p, --param <key=value>', 'set this; may be repeated', addPair)
    .option('--parallel <number>', 'of a backfill: how many business times are open at once')
    .action(async (ids, options) => (await import('./task-controls.ts')).setRunParameters(ids, options));
}

function addBulk(program: Command): void {
  const bulk = program.command('bulk').description('change many runs at once and follow the progress');
  const load = () => import('./bulk.ts');
  const actions = {
    pause: 'have all runs that match start nothing more',
    resume: 'have all runs that match go on after a pause',
    stop: 'end all runs that match',
    recover: 'run again what failed or was stopped in all runs that match',
    rerun: 'run all runs that match again',
  };
  const ask = (name: string, does: string) =>
    asking(client(choosing(bulk.command(name).description(does))))
      .option('--all', 'all runs there are')
      .option('--key <text>', 'ask for it no second time for the same key')
      .option('-f, --follow', 'go on until all were asked; exit code 1 where one is refused');
  for (const name of Object.keys(actions) as (keyof typeof actions)[])
    ask(name, actions[name]).action(async (options) => (await load()).bulk(name, undefined, options));
  ask('tag', 'give tags to all runs that match, beside those they have')
    .argument('<tag...>')
    .action(async (tags, options) => (await load()).bulk('tag', tags, options));
  ask('untag', 'take tags from all runs that match')
    .argument('<tag...>')
    .action(async (tags, options) => (await load()).bulk('untag', tags, options));
  client(bulk.command('list', { isDefault: true }).description('list, newest first'))
    .option('--project <name>', 'only of this project')
    .option('--limit <number>', 'how many (default: 20)')
    .action(async (options) => (await load()).listBulks(options));
  client(bulk.command('show').description('show the progress of a bulk action').argument('<bulk>')).action(
    async (id, options) => (await load()).showBulk(id, options),
  );
  client(bulk.command('results').description('show the result for each run').argument('<bulk>'))
    .option('--outcome <outcome>', 'only told, refused or left ones')
    .option('--limit <number>', 'how many (default: 100)')
    .action(async (id, options) => (await load()).listResults(id, options));
  client(bulk.command('abort').description('stop before the remaining runs').argument('<bulk>'))
    .option('--reason <text>', 'why; it goes into the history')
    .action(async (id, options) => (await load()).abortBulk(id, options));
}

function addLogs(program: Command): void {
  client(program.command('logs').description('print the log of a task run'))
    .argument('<task-run>', 'RUN.TASK, such as 12.extract')
    .option('-f, --follow', 'go on until it has ended')
    .option('--attempt <number>', 'this attempt (default: the last)')
    .option('--shard <number>', 'this shard (default: all, each line with the number of its shard)')
    .action(async (taskRun, options) => (await import('./logs.ts')).logs(taskRun, options));
}

function addSchedules(program: Command): void {
  const schedules = program
    .command('schedules')
    .description('list, change, pause, resume and fire schedules, and see their ticks');
  const named = (verb: string, does: string) =>
    client(schedules.command(verb).description(does))
      .argument('<schedule>', 'its id, or its workflow')
      .argument('[name]', 'its name, where its workflow has several');
  client(schedules.command('list', { isDefault: true }).description('list schedules'))
    .option('--workflow <name>', 'only of this workflow')
    .action(async (options) => (await import('./schedules.ts')).listSchedules(options));
  for (const verb of ['pause', 'resume'] as const) {
    const text = verb === 'pause' ? 'fire no more ticks' : 'fire again, from now on';
    named(verb, text).action(async (schedule, name, options) =>
      (await import('./schedules.ts')).switchSchedule(verb, schedule, name, options),
    );
  }
  named('fire', 'start a run as a tick of now would; its due times stay as they are')
    .option('--key <text>', 'start no second run for the same key')
    .action(async (schedule, name, options) =>
      (await import('./schedules.ts')).fireSchedule(schedule, name, options),
    );
  named('set', 'change a schedule; what is not named stays')
    .option('--cron <cron>', 'when it fires')
    .option('--every <duration>', 'an interval instead of a cron')
    .option('--tz <zone>', 'its time zone')
    .option('--from <time>', 'the first moment at which it may fire, or none')
    .option('--until <time>', 'the last one, or none')
    .option('--calendar <name>', 'leave the days of this calendar out; none: of none')
    .option('--misfire <policy>', 'fire-once, fire-all or skip')
    .option('-p, --param <key=value>', 'the parameters of its runs; may be repeated', addPair)
    .option('--priority <name>', 'of its runs; none: that of the workflow')
    .option('--enable', 'fire, also if it is paused')
    .option('--disable', 'fire no more')
    .option('--note <text>', 'what the new version of the workflow is for')
    .option('--dry-run', 'only say when it would fire')
    .action(async (schedule, name, options) =>
      (await import('./schedule-edit.ts')).setSchedule(schedule, name, options),
    );
  named('ticks', 'what its due times became')
    .option('--limit <number>', 'how many (default: 20)')
    .action(async (schedule, name, options) =>
      (await import('./schedules.ts')).listTicks(schedule, name, options),
    );
}

function addAudit(program: Command): void {
  const audit = program.command('audit').description('audit log: changes, sign-ins and refusals');
  client(audit.command('list', { isDefault: true }).description('the newest entries'))
    .option('--actor <name>', 'only what they did')
    .option('--action <action>', 'only this action; * stands for any text: token.*')
    .option('--subject <subject>', 'only what was done to it; * stands for any text: etl/*')
    .option('--limit <number>', 'how many (default: 20)')
    .action(async (options) => (await import('./audit.ts')).listAudit(options));
  client(audit.command('export').description('all entries, oldest first, one JSON object a line'))
    .option('--after <id>', 'only those after this entry')
    .action(async (options) => (await import('./audit.ts')).exportAudit(options));
}

function addTokens(program: Command): void {
  const token = program.command('token').description('create, list and revoke API tokens');
  client(token.command('list', { isDefault: true }).description('list, newest first')).action(
    async (options) => (await import('./tokens.ts')).listTokens(options),
  );
  client(token.command('create').description('create a token; it is printed only once'))
    .requiredOption('--name <name>', 'who or what it is for')
    .option('--role <role>', 'viewer, operator, editor or admin', 'viewer')
    .option('--project <name>', 'the one project it is for (default: all)')
    .option('--days <number>', 'until it expires, or never', '90')
    .action(async (options) => (await import('./tokens.ts')).createToken(options));
  client(token.command('revoke').description('revoke a token').argument('<id>')).action(async (id, options) =>
    (await import('./tokens.ts')).revokeToken(id, options),
  );
}

function addParameters(program: Command): void {
  const projects = program.command('projects').description('projects and their parameters');
  client(projects.command('list', { isDefault: true }).description('list them')).action(async (options) =>
    (await import('./parameters.ts')).listProjects(options),
  );
  client(projects.command('show').description('show the parameters of one').argument('<project>')).action(
    async (project, options) => (await import('./parameters.ts')).showProject(project, options),
  );
  changing(client(projects.command('set').description('change parameters of one').argument('<project>')))
    .option(
      '--callable-from <projects>',
      'projects whose workflows may call those of this one: a,b, * or none',
    )
    .action(async (project, options) => (await import('./parameters.ts')).setProject(project, options));
  const parameters = program.command('parameters').description('the parameters of all projects');
  client(parameters.command('show', { isDefault: true }).description('show them')).action(async (options) =>
    (await import('./parameters.ts')).showParameters(options),
  );
  changing(client(parameters.command('set').description('change some'))).action(async (options) =>
    (await import('./parameters.ts')).setParameters(options),
  );
}

function addEnvironments(program: Command): void {
  const environments = program
    .command('environments')
    .description('environments: named sets of variables for tasks');
  client(environments.command('list', { isDefault: true }).description('list them')).action(async (options) =>
    (await import('./environments.ts')).listEnvironments(options),
  );
  client(environments.command('show').description('show one').argument('<name>')).action(
    async (name, options) => (await import('./environments.ts')).showEnvironment(name, options),
  );
  client(environments.command('set').description('create or change an environment').argument('<name>'))
    .option('-v, --variable <key=value>', 'set this; may be repeated', addPair)
    .option('--unset <key...>', 'take these variables away')
    .option('--worker-group <name...>', 'only for these worker groups')
    .option('--projects <names>', 'only for tasks of these projects: a,b or all')
    .option('--description <text>', 'what it is for')
    .action(async (name, options) => (await import('./environments.ts')).setEnvironment(name, options));
  client(environments.command('delete').description('delete').argument('<name>')).action(
    async (name, options) => (await import('./environments.ts')).deleteEnvironment(name, options),
  );
}

function addSecrets(program: Command): void {
  const secrets = program.command('secrets').description('secrets: who names them, never their values');
  client(secrets.command('list', { isDefault: true }).description('list them'))
    .option('--project <name>', 'only those of this project')
    .action(async (options) => (await import('./secrets.ts')).listSecrets(options));
}

function addCalendars(program: Command): void {
  const calendars = program
    .command('calendars')
    .description('calendars: named days on which schedules do not fire');
  client(calendars.command('list', { isDefault: true }).description('list them'))
    .option('--project <name>', 'only of this project')
    .action(async (options) => (await import('./calendars.ts')).listCalendars(options));
  const named = (verb: string, text: string) =>
    client(
      calendars.command(verb).description(text).argument('<calendar>', 'project/name, or name in "default"'),
    );
  named('show', 'show its days').action(async (calendar, options) =>
    (await import('./calendars.ts')).showCalendar(calendar, options),
  );
  named('set', 'make one, or change some of it; schedules follow at once')
    .option('--add <day...>', 'add days: 2026-05-01, 12-25 for every year, saturday for every week')
    .option('--remove <day...>', 'remove days')
    .option('--file <path>', 'all days, as YAML or JSON: dates, yearly, weekdays, description')
    .option('--description <text>', 'what it is for')
    .option('--dry-run', 'only say which schedules would fire at another time')
    .action(async (calendar, options) => (await import('./calendars.ts')).setCalendar(calendar, options));
  named('delete', 'delete one that no schedule refers to').action(async (calendar, options) =>
    (await import('./calendars.ts')).deleteCalendar(calendar, options),
  );
}

function addConnections(program: Command): void {
  const connections = program.command('connections').description('connections of a project to other systems');
  client(connections.command('list', { isDefault: true }).description('list them'))
    .option('--project <name>', 'only of this project')
    .action(async (options) => (await import('./connections.ts')).listConnections(options));
  client(connections.command('kinds').description('list connection kinds and their settings')).action(
    async (options) => (await import('./connections.ts')).listKinds(options),
  );
  const named = (verb: string, text: string) =>
    client(
      connections
        .command(verb)
        .description(text)
        .argument('<connection>', 'project/name, or name in "default"'),
    );
  named('show', 'show one; secrets stay names').action(async (connection, options) =>
    (await import('./connections.ts')).showConnection(connection, options),
  );
  named('set', 'create or change a connection')
    .option('--kind <kind>', 'what it connects to; see "connections kinds"')
    .option(
      '-s, --setting <key=value>',
      'set this; may be repeated. A secret is named: ${secret.NAME}',
      addPair,
    )
    .option('--unset <key...>', 'remove these settings')
    .option('--file <path>', 'all settings, as YAML or JSON')
    .option('--description <text>', 'what it is for')
    .action(async (connection, options) =>
      (await import('./connections.ts')).setConnection(connection, options),
    );
  named('test', 'connect from a worker and say what is there')
    .option('--worker-group <name>', 'from a worker of this group')
    .action(async (connection, options) =>
      (await import('./connections.ts')).testConnection(connection, options),
    );
  named('delete', 'delete one that no live version of a workflow uses').action(async (connection, options) =>
    (await import('./connections.ts')).deleteConnection(connection, options),
  );
}

function addGroups(program: Command): void {
  const groups = program.command('groups').description('task groups: slots, who holds them and who waits');
  client(groups.command('list', { isDefault: true }).description('list them'))
    .option('--project <name>', 'only of this project')
    .action(async (options) => (await import('./groups.ts')).listGroups(options));
  const named = (verb: string, text: string) =>
    client(groups.command(verb).description(text).argument('<group>', 'project/name, or name in "default"'));
  named('show', 'show who holds its slots and who waits').action(async (group, options) =>
    (await import('./groups.ts')).showGroup(group, options),
  );
  named('set', 'make one, or set its slots')
    .requiredOption('--slots <number>', 'how many attempts at once')
    .action(async (group, options) => (await import('./groups.ts')).setGroup(group, options));
  named('delete', 'delete').action(async (group, options) =>
    (await import('./groups.ts')).deleteGroup(group, options),
  );
}

function addLimits(program: Command): void {
  const limits = program.command('limits').description('limits on open runs, in total and per tenant');
  client(limits.command('show', { isDefault: true }).description('show them')).action(async (options) =>
    (await import('./limits.ts')).showLimits(options),
  );
  client(limits.command('set').description('change some'))
    .option('--runs <number>', 'how many runs of all may be open, or none')
    .option(
      '--tenant <name=number>',
      'how many runs of a tenant may be open, or none; may be repeated',
      addPair,
    )
    .option('--weight <name=number>', 'how much more than others a tenant gets; may be repeated', addPair)
    .action(async (options) => (await import('./limits.ts')).setLimits(options));
}

function addJobs(program: Command): void {
  const load = () => import('./jobs.ts');
  const jobs = program.command('jobs').description('list and control elastic jobs');
  client(jobs.command('list', { isDefault: true }).description('list them')).action(async (options) =>
    (await load()).listJobs(options),
  );
  const named = (verb: string, text: string) =>
    client(jobs.command(verb).description(text).argument('<job>', 'namespace/name'));
  named('show', 'show its instances and why its shards are where they are').action(async (job, options) =>
    (await load()).showJob(job, options),
  );
  named('shards', 'show its shards, who has and who runs them').action(async (job, options) =>
    (await load()).showShards(job, options),
  );
  named('trigger', 'ask for a round now')
    .option('--instance <id>', 'only of this instance')
    .option('--parameter <text>', 'handed to the handlers of this round')
    .action(async (job, options) => (await load()).triggerJob(job, options));
  for (const verb of ['disable', 'enable'] as const)
    named(verb, `${verb} the job, a server or a shard`)
      .option('--server <name>', 'only this server')
      .option('--shard <number>', 'only this shard')
      .action(async (job, options) => (await load()).switchJob(verb, job, options));
  named('config', 'show its settings, or change some for all instances')
    .option('--set <key=value>', 'set this; may be repeated', addPair)
    .option('--unset <key...>', 'take these away')
    .action(async (job, options) => (await load()).configureJob(job, options));
  named('dump', 'print every registry entry of it').action(async (job, options) =>
    (await load()).dumpJob(job, options),
  );
  named('stop', 'end the part of its instances in it, in good order')
    .option('--instance <id>', 'only of this instance')
    .action(async (job, options) => (await load()).stopJob(job, options));
  named('delete', 'delete one that has no instances').action(async (job, options) =>
    (await load()).deleteJob(job, options),
  );
}

/** The options that change some values by name. */
function changing(command: Command): Command {
  return command
    .option('-p, --param <key=value>', 'set this; may be repeated', addPair)
    .option('--unset <key...>', 'take these away');
}

/** The options of every command that asks for a change. */
function asking(command: Command): Command {
  return command
    .option('--reason <text>', 'why; it goes into the history')
    .option('--dry-run', 'only say what would change');
}

/** The options that choose runs. */
function choosing(command: Command): Command {
  return command
    .option('--workflow <name>', 'only of this workflow')
    .option('--project <name>', 'only of this project')
    .option('--state <state>', 'only in this state; several with commas')
    .option('--trigger <trigger>', 'only started by this: manual, api, tick, …; several with commas')
    .option('--kind <kind>', 'only normal ones, or backfills')
    .option('--from <time>', 'only created since then: a time, or how long ago as in -24h')
    .option('--to <time>', 'only created before then')
    .option('--q <text>', 'only with this in the name of the workflow, or the run of this number')
    .option('--version <number>', 'only of this version of the workflow; several with commas')
    .option('--duration <span>', 'only that ran so long: 10m is at least, ..30s at most, 10m..1h between')
    .option('--wait <span>', 'only that waited so long before they started')
    .option('--owner <master>', 'only open ones that this master owns')
    .option('--worker <worker>', 'only with an attempt that this worker was given')
    .option('-p, --param <key=value>', 'only given this parameter; may be repeated', addPair)
    .option('--tag <tag>', 'only with this tag; several with commas')
    .option('--error <text>', 'only that ended badly, with this in their error')
    .option('--fingerprint <text>', 'only that ended badly, with an error like this')
    .option('--parent <run>', 'only started by this run')
    .option('--backfill <run>', 'only of this backfill');
}

/** The options of every command that talks to a server. */
function client(command: Command): Command {
  return command
    .option('--url <url>', 'the server (default: ORRERY_URL, else http://127.0.0.1:7070)')
    .option('--token <token>', 'its token (default: ORRERY_TOKEN)')
    .option('--utc', 'show times in UTC (default: in the time zone of this machine)')
    .option('--json', 'answer in JSON');
}

/** The options that choose a part of a workflow. */
function scoped(command: Command): Command {
  return command
    .option('--from <task...>', 'only these tasks and what follows them')
    .option('--to <task...>', 'only these tasks and what they need')
    .option('--only <task...>', 'only these tasks');
}
