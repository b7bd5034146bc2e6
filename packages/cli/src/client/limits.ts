/** `orrery limits`: how many runs may be open, of all and of each tenant. */
import { InvalidInput } from '@orrery/core/errors';
import { type Connection, connect, numberOf } from './connect.ts';
import { printJson, table } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** The options of a change of caps. */
export interface CapWishes {
  readonly runs?: string;
  readonly tenant?: Readonly<Record<string, string>>;
  readonly weight?: Readonly<Record<string, string>>;
}

/** Shows the caps. */
export async function showLimits(options: Options): Promise<void> {
  print(await connect(options).showLimits(), options);
}

/** Changes the given caps only. */
export async function setLimits(options: Options & CapWishes): Promise<void> {
  const { runs, tenant = {}, weight = {} } = options;
  if (runs === undefined && Object.keys({ ...tenant, ...weight }).length === 0)
    throw new InvalidInput('say what to change: --runs NUMBER, --tenant NAME=NUMBER or --weight NAME=NUMBER');
  const client = connect(options);
  const before = await client.showLimits();
  const tenants: Record<string, { runs: number | null; weight: number }> = {};
  for (const { name, runs, weight } of before.tenants) tenants[name] = { runs, weight };
  const known = (name: string) => tenants[name] ?? { runs: null, weight: 1 };
  for (const [name, text] of Object.entries(tenant)) tenants[name] = { ...known(name), runs: capOf(text) };
  for (const [name, text] of Object.entries(weight))
    tenants[name] = { ...known(name), weight: weightOf(text) };
  const answer = await client.setLimits({
    ifMatch: `"${before.revision}"`,
    body: { runs: runs === undefined ? before.all.runs : capOf(runs), tenants },
  });
  print(answer, options);
}

function capOf(text: string): number | null {
  return text === 'none' ? null : numberOf(text, 'a number of runs, nor none', 0);
}

/** A weight as given on the command line. */
export function weightOf(text: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new InvalidInput(`"${text}" is not a weight; write a number such as 2 or 0.5`, '--weight');
}

type Shown = Awaited<ReturnType<ReturnType<typeof connect>['showLimits']>>;

function print(limits: Shown, { json }: Options): void {
  if (json) {
    printJson(limits);
    return;
  }
  const row = (name: string, weight: string, { runs, held, waiting }: Shown['all']) => [
    name,
    runs === null ? 'no cap' : `${held}/${runs}`,
    String(waiting),
    weight,
  ];
  const tenants = limits.tenants.map((tenant) => row(`tenant ${tenant.name}`, String(tenant.weight), tenant));
  console.log(
    table(['LIMIT', 'OPEN RUNS', 'WAITING', 'WEIGHT'], [row('all runs', '-', limits.all), ...tenants]),
  );
}
