/** `orrery preview …` on the command line: its arguments and options; what answers them is loaded when called. */
import { InvalidInput } from '@orrery/core/errors';
import { type Command, Option } from 'commander';
import type { Mode } from './preview.ts';
import type { questions } from './questions.ts';

/** An option as commander writes it, its explanation, and whether it may be repeated as `key=value`. */
type OptionLine = readonly [flags: string, text: string, pairs?: 'pairs'];

interface Line {
  readonly name: keyof typeof questions;
  readonly text: string;
  /** The one argument without a name: its field, and what it is. */
  readonly argument?: readonly [field: string, text: string];
  readonly options: readonly OptionLine[];
}

const tz: OptionLine = ['--tz <zone>', 'time zone, such as Asia/Shanghai (default: UTC)'];
const at: OptionLine = [
  '--at <time>',
  'business time, ISO 8601 or yyyy-MM-dd HH:mm:ss in the zone (default: now)',
];
const weight: OptionLine = ['--weight <node=number>', 'how much a node carries under "weighted"', 'pairs'];

const lines: readonly Line[] = [
  {
    name: 'cron',
    text: 'the next times of a cron expression: Quartz with 6 or 7 fields, Unix with 5',
    argument: ['cron', 'the expression'],
    options: [
      tz,
      ['--from <time>', 'times after this one, ISO 8601 or yyyy-MM-dd HH:mm:ss in the zone (default: now)'],
      ['--count <number>', 'how many (default: 5)'],
    ],
  },
  {
    name: 'params',
    text: 'what the placeholders for times and parameters in a text become',
    argument: ['template', 'the text'],
    options: [at, tz, ['--param <key=value>', 'a parameter; may be repeated', 'pairs']],
  },
  {
    name: 'shards',
    text: 'which server gets which items of a job',
    options: [
      ['--strategy <name>', 'how items are divided (default: average)'],
      ['--items <number>', 'how many items'],
      ['--servers <names>', 'the servers in their order, separated by commas'],
      ['--job <name>', 'the name of the job, which some strategies hash'],
      weight,
    ],
  },
  {
    name: 'plan',
    text: 'which master fires which schedules, by rank',
    options: [
      ['--strategy <name>', 'how schedules are divided (default: range)'],
      ['--total <number>', 'how many schedules'],
      ['--nodes <names>', 'the masters, separated by commas'],
      weight,
    ],
  },
  {
    name: 'dependency',
    text: 'the intervals that a dependency window covers, such as last2Days',
    argument: ['window', 'the window'],
    options: [
      at,
      tz,
      ['--cron <expression>', "the other workflow's schedule, for previous and versions such as (-2,2)"],
    ],
  },
];

/** Adds `preview` and its commands. */
export function addPreview(program: Command): void {
  const preview = program.command('preview').description('ask what the rules would do, without a server');
  for (const line of lines) addLine(preview, line);
}

function addLine(preview: Command, { name, text, argument, options }: Line): void {
  const command = preview.command(name).description(text);
  if (argument) command.argument(`[${argument[0]}]`, argument[1]);
  const flagOf = new Map<string, string>();
  for (const [flags, explanation, pairs] of options) {
    const option = new Option(flags, explanation);
    if (pairs)
      option.argParser((pair: string, soFar?: Record<string, string>) => addPair(pair, soFar, flags));
    command.addOption(option);
    flagOf.set(pairs ? `${option.name()}s` : option.name(), option.name());
  }
  command.option('--json', 'answer in JSON');
  command.option('--batch', 'read one JSON object a line from standard input, answer each in JSON');
  command.action(async () => {
    const given = command.opts<Record<string, unknown> & Mode>();
    const values: Record<string, unknown> = {};
    if (argument) values[argument[0]] = command.args[0];
    for (const [field, flag] of flagOf) values[field] = given[flag];
    const label = (field: string) => (flagOf.has(field) ? `--${flagOf.get(field)}` : `<${field}>`);
    const [{ runPreview }, { questions }] = await Promise.all([
      import('./preview.ts'),
      import('./questions.ts'),
    ]);
    await runPreview(questions[name], values, label, given);
  });
}

function addPair(pair: string, soFar: Record<string, string> = {}, flags: string): Record<string, string> {
  const cut = pair.indexOf('=');
  if (cut > 0) return { ...soFar, [pair.slice(0, cut)]: pair.slice(cut + 1) };
  throw new InvalidInput(`"${pair}" is not a key, "=" and a value`, flags.split(' ')[0]);
}
