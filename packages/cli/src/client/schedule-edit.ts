/** `orrery schedules set`: changes a schedule, by a new version of its workflow in which nothing else differs. */
import { InvalidInput } from '@orrery/core/errors';
import type { InputOf } from '@orrery/sdk/client';
import { type Connection, connect } from './connect.ts';
import { faint, printJson, stateText, timeText } from './output.ts';
import { scheduleOf } from './which-schedule.ts';

/** What the command was given. */
export interface ScheduleOptions extends Connection {
  readonly cron?: string;
  readonly every?: string;
  readonly tz?: string;
  readonly from?: string;
  readonly until?: string;
  readonly misfire?: string;
  readonly calendar?: string;
  readonly param?: Readonly<Record<string, string>>;
  readonly priority?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
  readonly note?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

type Body = NonNullable<InputOf<'updateSchedule'>['body']>;

/** Runs the command. */
export async function setSchedule(
  given: string,
  name: string | undefined,
  options: ScheduleOptions,
): Promise<void> {
  const client = connect(options);
  const body = bodyOf(options);
  const schedule = await client.updateSchedule({ id: await scheduleOf(client, given, name), body });
  if (options.json) return printJson(schedule);
  const head = `${schedule.project}/${schedule.workflow} ${schedule.name}: ${stateText(schedule.state)}`;
  console.log(
    [
      options.dryRun ? `${head} ${faint('(not changed)')}` : head,
      ...schedule.nextTicks.map((time) => timeText(time)),
      ...(schedule.leftOut.length > 0 ? [faint('left out before that:')] : []),
      ...schedule.leftOut.map((time) => faint(timeText(time))),
    ].join('\n'),
  );
}

function bodyOf(options: ScheduleOptions): Body {
  const { cron, every, tz, enable, disable, note, dryRun } = options;
  if (enable && disable) throw new InvalidInput('give one of --enable and --disable');
  const body = {
    cron,
    every,
    timezone: tz,
    from: unlessNone(options.from),
    until: unlessNone(options.until),
    // The server, which knows the valid words, reports invalid ones.
    misfire: options.misfire as Body['misfire'],
    calendar: unlessNone(options.calendar),
    priority: unlessNone(options.priority) as Body['priority'],
    params: options.param,
    enabled: enable ? true : disable ? false : undefined,
  };
  if (Object.values(body).every((value) => value === undefined))
    throw new InvalidInput('say what shall change, such as --cron "0 3 * * *"');
  return { ...body, note, dryRun };
}

function unlessNone(text: string | undefined): string | null | undefined {
  return text === 'none' ? null : text;
}
