/** `orrery runs`: list them, show one, and ask for changes. */
import { ApiClient, type Connection, Refused } from './api-client.ts';
import { faint, fromNow, printJson, stateText, table, took } from './output.ts';
import { readRun } from './run-page.ts';
import { type ScopeOptions, scopeOf } from './scope.ts';
import { endedStates, type RunRow, type TaskRow } from './shapes.ts';

/** Options of every command here. */
interface Options extends Connection {
  readonly json?: boolean;
}

/** Lists runs, newest first. */
export async function listRuns(
  options: Options & { readonly workflow?: string; readonly state?: string; readonly limit?: string },
): Promise<void> {
  const { workflow, state, limit = '20' } = options;
  const query = new URLSearchParams({ limit });
  if (workflow !== undefined) query.set('workflow', workflow);
  if (state !== undefined) query.set('state', state);
  const answer = await new ApiClient(options).get<{ runs: RunRow[]; next: string | null }>(`/runs?${query}`);
  if (options.json) return printJson(answer);
  if (answer.runs.length === 0) {
    const filtered = workflow !== undefined || state !== undefined;
    return console.log(filtered ? 'no run matches' : 'no runs yet; start one with "orrery run NAME"');
  }
  console.log(
    table(
      ['RUN', 'WORKFLOW', 'STATE', 'TRIGGER', 'CREATED', 'TOOK'],
      answer.runs.map((run) => [
        String(run.id),
        `${run.project}/${run.name} ${faint(`v${run.version}`)}`,
        stateText(run.state),
        run.trigger,
        fromNow(run.createdAt),
        took(run.startedAt, run.endedAt),
      ]),
    ),
  );
  if (answer.next) console.log(faint('there are more; raise --limit'));
}

/** Shows one run with its task runs. */
export async function showRun(id: string, options: Options): Promise<void> {
  const api = new ApiClient(options);
  const run = await readRun(api, id);
  if (options.json) return printJson(run);
  console.log(`run ${run.id} of ${run.project}/${run.name} v${run.version}: ${stateText(run.state)}`);
  const params = Object.entries(run.params).map(([name, value]) => `${name}=${value}`);
  const facts = [
    ['created', `${fromNow(run.createdAt)} by ${run.trigger}, priority ${run.priority}`],
    ['business time', run.businessTime],
    ['took', took(run.startedAt, run.endedAt)],
    ['owner', run.owner ?? '-'],
    ...(run.dryRun ? [['dry run', 'yes']] : []),
    ...(params.length > 0 ? [['parameters', params.join(' ')]] : []),
    ...(run.requested ?? []).map(({ name, at }) => [name, `requested ${fromNow(at)}`]),
  ];
  console.log(facts.map(([name, value]) => `  ${faint(name.padEnd(13))}  ${value}`).join('\n'));
  if (!endedStates.includes(run.state)) {
    const { why, frees } = run.why;
    console.log(`  ${faint('why'.padEnd(13))}  ${why}${frees ? faint(`; goes on when: ${frees}`) : ''}`);
  }
  if (run.tasks.length > 0) console.log(`\n${tasksTable(run.tasks)}`);
  if (run.nextTasks) console.log(faint('there are more tasks; use --json and the link in nextTasks'));
}

function tasksTable(tasks: readonly TaskRow[]): string {
  return table(
    ['TASK', 'STATE', 'SINCE', 'ATTEMPT', 'WORKER', 'REASON'],
    tasks.map((task) => [
      task.name,
      stateText(task.state),
      fromNow(task.since),
      task.attempt === 0 ? '-' : String(task.attempt),
      task.worker ?? '-',
      task.reason ?? '',
    ]),
  );
}

/** Asks for a change of each run; one that is refused makes the command fail. */
export async function controlRuns(
  control: string,
  ids: readonly string[],
  options: Options & ScopeOptions,
): Promise<void> {
  const api = new ApiClient(options);
  const scope = scopeOf(options);
  const results: object[] = [];
  for (const id of ids) {
    try {
      await api.post(`/runs/${encodeURIComponent(id)}/${control}`, scope && { scope });
      results.push({ run: Number(id), control, requested: true });
      if (!options.json) console.log(`${control} of run ${id} requested`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      process.exitCode = 1;
      results.push({ run: Number(id), control, requested: false, reason: error.message });
      if (!options.json) console.error(`${control} of run ${id} refused: ${error.message}`);
    }
  }
  if (options.json) printJson({ results });
}
