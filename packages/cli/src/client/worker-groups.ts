/** `orrery worker-groups`: which projects' tasks the workers of a group take, and how one is chosen. */
import { InvalidInput } from '@orrery/core/errors';
import { groupChoices } from '@orrery/core/queue';
import { type Connection, connect } from './connect.ts';
import { weightOf } from './limits.ts';
import { fromNow, printJson, printTable } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** Lists those that are served or were set. */
export async function listWorkerGroups(options: Options): Promise<void> {
  const answer = await connect(options).listWorkerGroups();
  printTable(
    answer,
    options,
    'no worker groups',
    ['WORKER GROUP', 'WORKERS', 'CHOOSE', 'PROJECTS', 'CHANGED'],
    answer.workerGroups.map(({ name, workers, choose, weights, projects, changedAt }) => [
      name,
      String(workers),
      choiceText(choose, weights),
      projects.join(', ') || 'all',
      changedAt === null ? '-' : fromNow(changedAt),
    ]),
  );
}

/** Keeps one to projects, or opens it to all. */
export async function setWorkerGroup(
  name: string,
  options: Options & { readonly projects: string },
): Promise<void> {
  const client = connect(options);
  const { workerGroups } = await client.listWorkerGroups();
  const revision = workerGroups.find((group) => group.name === name)?.revision ?? 0;
  const body = { projects: projectsOf(options.projects) };
  const answer = await client.setWorkerGroup({ name, ifMatch: `"${revision}"`, body });
  if (options.json) return printJson(answer);
  console.log(`worker group ${name} takes tasks of ${answer.projects.join(', ') || 'all projects'}`);
}

/** Sets how a group chooses the worker of an attempt. */
export async function setWorkerChoice(
  name: string,
  choose: string,
  options: Options & { readonly weight?: Readonly<Record<string, string>> },
): Promise<void> {
  const choice = groupChoices.find((one) => one === choose);
  if (!choice)
    throw new InvalidInput(
      `"${choose}" is no way to choose; there are: ${groupChoices.join(', ')}`,
      'choice',
    );
  const weights = Object.fromEntries(
    Object.entries(options.weight ?? {}).map(([worker, text]) => [worker, weightOf(text)]),
  );
  if (choice !== 'weighted' && Object.keys(weights).length > 0)
    throw new InvalidInput('only weighted takes weights', '--weight');
  const answer = await connect(options).setWorkerChoice({ name, body: { choose: choice, weights } });
  if (options.json) return printJson(answer);
  console.log(`worker group ${name} chooses: ${choiceText(answer.choose, answer.weights)}`);
}

function choiceText(choose: string, weights: Readonly<Record<string, number>>): string {
  return [choose, ...Object.entries(weights).map(([worker, weight]) => `${worker}=${weight}`)].join(' ');
}

/** Projects as given on the command line; `all` means no restriction. */
export function projectsOf(text: string): string[] {
  if (text.trim() === 'all') return [];
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidInput('name projects as a,b, or write all', '--projects');
  return names;
}
