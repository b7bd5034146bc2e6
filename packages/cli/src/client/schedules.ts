/** `orrery schedules`: list them and their ticks; pause, resume and fire one. */
import { type Connection, connect, numberOf } from './connect.ts';
import { duration, faint, fromNow, printJson, printTable, stateText, timeText } from './output.ts';
import { printed } from './printed.ts';
import { scheduleOf } from './which-schedule.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** Lists schedules. */
export async function listSchedules(options: Options & { readonly workflow?: string }): Promise<void> {
  const answer = await connect(options).listSchedules({ workflow: options.workflow, limit: 1_000 });
  printTable(
    answer,
    options,
    'no schedules',
    ['ID', 'WORKFLOW', 'SCHEDULE', 'STATE', 'NEXT', 'WHEN'],
    answer.schedules.map((schedule) => [
      String(schedule.id),
      `${schedule.project}/${schedule.workflow}`,
      schedule.name,
      stateText(schedule.state),
      fromNow(schedule.nextDue),
      `${schedule.cron ?? `every ${duration(schedule.every ?? 0)}`} ${faint(schedule.timezone)}`,
    ]),
  );
  if (!options.json && answer.next) console.log(faint('there are more; use --workflow'));
}

/** Pauses or resumes a schedule. */
export async function switchSchedule(
  verb: 'pause' | 'resume',
  given: string,
  name: string | undefined,
  options: Options,
): Promise<void> {
  const client = connect(options);
  const ask = verb === 'pause' ? client.pauseSchedule : client.resumeSchedule;
  const schedule = await ask({ id: await scheduleOf(client, given, name) });
  if (options.json) return printJson(schedule);
  const next = schedule.nextDue === null ? '' : `, next ${fromNow(schedule.nextDue)}`;
  console.log(
    `${schedule.project}/${schedule.workflow} ${schedule.name}: ${stateText(schedule.state)}${next}`,
  );
}

/** Starts a run as a tick of now would. */
export async function fireSchedule(
  given: string,
  name: string | undefined,
  options: Options & { readonly key?: string },
): Promise<void> {
  const client = connect(options);
  const id = await scheduleOf(client, given, name);
  const answer = await client.fireSchedule({ id, idempotencyKey: options.key });
  if (options.json) return printJson(answer);
  console.log(`run ${answer.id} queued${faint(`; see "${printed(`runs show ${answer.id}`, options)}"`)}`);
}

/** Lists the ticks of a schedule, newest first. */
export async function listTicks(
  given: string,
  name: string | undefined,
  options: Options & { readonly limit?: string },
): Promise<void> {
  const { limit = '20' } = options;
  const client = connect(options);
  const answer = await client.listScheduleTicks({
    id: await scheduleOf(client, given, name),
    limit: numberOf(limit, 'a limit'),
  });
  printTable(
    answer,
    options,
    'no ticks yet',
    ['DUE', 'LATE', 'BECAME'],
    answer.ticks.map((tick) =>
      'run' in tick
        ? [timeText(tick.due), duration(Date.parse(tick.firedAt) - Date.parse(tick.due)), `run ${tick.run}`]
        : [`${timeText(tick.due)} to ${timeText(tick.until)}`, '-', `${tick.count} skipped: ${tick.skipped}`],
    ),
  );
}
