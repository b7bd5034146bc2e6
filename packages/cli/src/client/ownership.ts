/** `orrery ownership`: which master fires each schedule, and the claims of masters. */
import { InvalidInput } from '@orrery/core/errors';
import { parseDuration } from '@orrery/core/model';
import { type Connection, connect, numberOf } from './connect.ts';
import { fromNow, printJson, table } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

type Pairs = Readonly<Record<string, string>>;

/** The options of a change. */
interface Wishes {
  readonly mode?: string;
  readonly tolerance?: string;
  readonly alarmAbove?: string;
  readonly sweepEvery?: string;
  readonly masterTolerance?: Pairs;
  readonly masterAlarm?: Pairs;
  readonly masterWeight?: Pairs;
}

type Shown = Awaited<ReturnType<ReturnType<typeof connect>['showOwnership']>>;
type Settings = Shown['settings'];

/** Shows the mode and the masters. */
export async function showOwnership(options: Options): Promise<void> {
  print(await connect(options).showOwnership(), options);
}

/** Changes the given settings only. */
export async function setOwnership(options: Options & Wishes): Promise<void> {
  const client = connect(options);
  const { revision, settings } = await client.showOwnership();
  const body = changed(settings, options);
  print(await client.setOwnership({ ifMatch: `"${revision}"`, body }), options);
}

/** Lists schedules with their holders, page after page. */
export async function listHoldings(options: Options & { readonly holder?: string }): Promise<void> {
  const { holder, json } = options;
  const client = connect(options);
  const all: Awaited<ReturnType<typeof client.listHoldings>>['holdings'][number][] = [];
  for (let after: number | undefined; ; ) {
    const { holdings, next } = await client.listHoldings({ holder, after, limit: 500 });
    all.push(...holdings);
    if (next === null) break;
    after = holdings.at(-1)?.schedule;
  }
  if (json) return printJson(all);
  const rows = all.map(({ schedule, project, workflow, name, holder, since }) => [
    String(schedule),
    `${project}/${workflow}`,
    name,
    holder ?? 'free',
    fromNow(since),
  ]);
  console.log(table(['SCHEDULE', 'WORKFLOW', 'NAME', 'HOLDER', 'SINCE'], rows));
}

/** Has masters look for free schedules. */
export async function claimNow(options: Options): Promise<void> {
  const answer = await connect(options).claimNow();
  if (options.json) return printJson(answer);
  const { repaired, free } = answer;
  console.log(`${free} schedules are free and will be claimed; ${repaired} records were repaired`);
}

function changed(before: Settings, wishes: Wishes): Settings {
  const { mode, tolerance, alarmAbove, sweepEvery, masterTolerance, masterAlarm, masterWeight } = wishes;
  const given = [mode, tolerance, alarmAbove, sweepEvery, masterTolerance, masterAlarm, masterWeight];
  if (given.every((wish) => wish === undefined))
    throw new InvalidInput('say what to change, such as --mode claim; see orrery ownership set --help');
  const masters = structuredClone(before.masters) as Record<string, Record<string, number | undefined>>;
  const forEach = (pairs: Pairs = {}, key: string, least: number) => {
    for (const [name, text] of Object.entries(pairs)) {
      const value = text === 'none' ? undefined : numberOf(text, 'a number, nor none', least);
      masters[name] = { ...masters[name], [key]: value };
      if (Object.values(masters[name]).every((one) => one === undefined)) delete masters[name];
    }
  };
  forEach(masterTolerance, 'tolerance', 1);
  forEach(masterAlarm, 'alarmAbove', 0);
  forEach(masterWeight, 'weight', 1);
  return {
    mode: mode === undefined ? before.mode : modeOf(mode),
    tolerance: tolerance === undefined ? before.tolerance : numberOf(tolerance, 'a number of masters', 1),
    alarmAbove:
      alarmAbove === undefined ? before.alarmAbove : numberOf(alarmAbove, 'a number of schedules', 0),
    sweepEvery: sweepEvery === undefined ? before.sweepEvery : parseDuration(sweepEvery),
    masters,
  };
}

function modeOf(text: string): Settings['mode'] {
  if (text === 'scope' || text === 'claim') return text;
  throw new InvalidInput(`"${text}" is not a mode; write scope or claim`, '--mode');
}

function print(shown: Shown, { json }: Options): void {
  if (json) {
    printJson(shown);
    return;
  }
  const { settings, schedules, free, masters, warnings } = shown;
  if (settings.mode === 'scope') {
    console.log(`mode scope: ${schedules} schedules are shared by plan, or by hash without a registry`);
    return;
  }
  const { tolerance, sweepEvery } = settings;
  const held = `${schedules} schedules, ${free} of them free`;
  console.log(`mode claim: ${held}; tolerance ${tolerance}, a sweep every ${sweepEvery / 1_000} s`);
  const rows = masters.map(({ id, state, held, limit, alarmAbove, tolerance, weight }) => [
    id,
    state,
    String(held),
    state === 'dead' ? '-' : String(limit),
    held > alarmAbove ? `${alarmAbove} (exceeded)` : String(alarmAbove),
    String(tolerance),
    String(weight),
  ]);
  console.log(table(['MASTER', 'STATE', 'HELD', 'LIMIT', 'ALARM ABOVE', 'TOLERANCE', 'WEIGHT'], rows));
  for (const warning of warnings) console.log(`warning: ${warning}`);
}
