/** `orrery schedules`: list them and their ticks, pause and resume one. */
import { ApiClient, type Connection } from './api-client.ts';
import { duration, faint, fromNow, printJson, stateText, table } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

interface Schedule {
  readonly id: number;
  readonly project: string;
  readonly workflow: string;
  readonly name: string;
  readonly cron?: string;
  readonly every?: number;
  readonly timezone: string;
  readonly state: string;
  readonly nextDue: string | null;
}

interface Tick {
  readonly due: string;
  readonly until?: string;
  readonly count?: number;
  readonly firedAt?: string;
  readonly run?: number;
  readonly skipped?: string;
}

/** Lists schedules. */
export async function listSchedules(options: Options & { readonly workflow?: string }): Promise<void> {
  const query = new URLSearchParams({ limit: '1000' });
  if (options.workflow !== undefined) query.set('workflow', options.workflow);
  const answer = await new ApiClient(options).get<{ schedules: Schedule[]; next: string | null }>(
    `/schedules?${query}`,
  );
  if (options.json) return printJson(answer);
  if (answer.schedules.length === 0) return console.log('no schedules');
  console.log(
    table(
      ['ID', 'WORKFLOW', 'SCHEDULE', 'STATE', 'NEXT', 'WHEN'],
      answer.schedules.map((schedule) => [
        String(schedule.id),
        `${schedule.project}/${schedule.workflow}`,
        schedule.name,
        stateText(schedule.state),
        fromNow(schedule.nextDue),
        `${schedule.cron ?? `every ${duration(schedule.every ?? 0)}`} ${faint(schedule.timezone)}`,
      ]),
    ),
  );
  if (answer.next) console.log(faint('there are more; use --workflow'));
}

/** Pauses or resumes a schedule. */
export async function switchSchedule(verb: 'pause' | 'resume', id: string, options: Options): Promise<void> {
  const schedule = await new ApiClient(options).post<Schedule>(
    `/schedules/${encodeURIComponent(id)}/${verb}`,
  );
  if (options.json) return printJson(schedule);
  const next = schedule.nextDue === null ? '' : `, next ${fromNow(schedule.nextDue)}`;
  console.log(
    `${schedule.project}/${schedule.workflow} ${schedule.name}: ${stateText(schedule.state)}${next}`,
  );
}

/** Lists the ticks of a schedule, newest first. */
export async function listTicks(id: string, options: Options & { readonly limit?: string }): Promise<void> {
  const { limit = '20' } = options;
  const answer = await new ApiClient(options).get<{ ticks: Tick[]; next: string | null }>(
    `/schedules/${encodeURIComponent(id)}/ticks?${new URLSearchParams({ limit })}`,
  );
  if (options.json) return printJson(answer);
  if (answer.ticks.length === 0) return console.log('no ticks yet');
  console.log(
    table(
      ['DUE', 'LATE', 'BECAME'],
      answer.ticks.map(({ due, until, count, firedAt, run, skipped }) =>
        skipped === undefined
          ? [due, firedAt === undefined ? '-' : duration(Date.parse(firedAt) - Date.parse(due)), `run ${run}`]
          : [`${due} to ${until}`, '-', `${count} skipped: ${skipped}`],
      ),
    ),
  );
}
