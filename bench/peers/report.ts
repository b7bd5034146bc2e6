/** The page docs/benchmarks/README.md: tables, a chart for each work, and the figures as JSON beside it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { bullmqVersion } from './bullmq.ts';
import { chart } from './chart.ts';
import { cpuOf, figureOf, type Outcome, type Result, ratioOf } from './work.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'docs', 'benchmarks');

const number = (value: number) =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });

/** Writes the page, its charts and the figures. */
export async function writeReport(
  outcomes: readonly Outcome[],
  rounds: number,
  services: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`;
  const measured = {
    date: new Date().toISOString().slice(0, 10),
    machine,
    load: loadavg().map((each) => Number(each.toFixed(1))),
    versions: versions(),
    services,
    rounds,
  };
  for (const outcome of outcomes) writeFileSync(join(folder, `${outcome.id}.svg`), chart(outcome));
  writeFileSync(
    join(folder, 'figures.json'),
    `${JSON.stringify({ ...measured, works: outcomes }, null, 1)}\n`,
  );
  const page = [
    '# Benchmarks',
    '',
    'Orrery beside other systems on the same work, machine and database. `npm run bench -- peers --write` measures and',
    'writes this page. All contenders take turns, round after round, so that whatever else the machine does burdens them',
    `alike; a figure is the median of ${rounds} rounds, with the lowest and the highest. Ratios count; absolute figures only tell`,
    'the order. CPU is that of the process and of its database server together, for one unit of work.',
    '',
    `Measured ${measured.date} on ${machine}; load averages ${measured.load.join(', ')} at the end, which includes the bench itself and what else the machine did.`,
    ...(measured.load[0] > 2 * cpus().length
      ? [
          'The machine was busy with other work: rates are far below those of a quiet one, and CPU time says more than they do.',
        ]
      : []),
    `Versions: ${Object.entries(measured.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}. ${services.replaceAll('\n  ', '. ')}.`,
    '',
    'Orrery always keeps the full history of runs, tasks and attempts, and every answer is durable. Where a peer deletes what',
    'is done or relaxes durability, its settings below say so. Each runs in one process with its worker, calls no HTTP, and',
    'is set as its own documentation or performance test has it. [figures.json](figures.json) has every round.',
    ...outcomes.flatMap(section),
    '',
    '## Left out',
    '',
    'Temporal, whose development server has to be built from its Go module, and Airflow. Windmill publishes',
    '[a comparison of six engines](https://www.windmill.dev/docs/misc/benchmarks/competitors), theirs among them: published',
    'by others, on other machines, with tasks that work some 10 ms.',
    '',
  ];
  writeFileSync(join(folder, 'README.md'), page.join('\n'));
}

function section(outcome: Outcome): string[] {
  const { id, title, unit, better, results } = outcome;
  const peers = results.filter(({ name }) => !name.startsWith('Orrery'));
  const [ours] = results;
  const row = (result: Result) => {
    const values = result.samples.map(({ value }) => value);
    const cpu = cpuOf(result);
    const cells = [
      result.name,
      number(figureOf(result)),
      `${number(Math.min(...values))} to ${number(Math.max(...values))}`,
      cpu === undefined ? '' : number(cpu),
      result.settings,
    ];
    return `| ${cells.join(' | ')} |`;
  };
  const ratios = peers.map((peer) => `${ratioOf(better, ours, peer).toFixed(2)} x ${peer.name}`);
  return [
    '',
    `## ${title}`,
    '',
    `![${title}](${id}.svg)`,
    '',
    `| | ${unit} | rounds | CPU, µs | settings |`,
    '|---|---|---|---|---|',
    ...results.map(row),
    '',
    ...(ratios.length > 0 ? [`${ours.name}, beside others (above 1 is better): ${ratios.join(', ')}.`] : []),
  ];
}

function versions(): Record<string, string> {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const peers = ['graphile-worker', 'pg-boss', '@dbos-inc/dbos-sdk'];
  return {
    node: process.version,
    ...Object.fromEntries(peers.map((name) => [name, devDependencies[name]])),
    bullmq: bullmqVersion,
  };
}
