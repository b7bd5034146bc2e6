/** Checks that the tasks form a graph: unique names, existing needs, no cycle. */

import { said } from '../../texts/index.ts';
import { suggestFrom } from '../nearest.ts';
import type { TaskOutline, Written } from '../outline.ts';
import type { Report } from '../problem.ts';
import { findCycles, printCycle } from './cycles.ts';

/** Finds the index of a task by its name; reports a name that no task has. */
export type FindTask = (name: Written) => number | undefined;

/** Reports every fault of the graph. */
export function checkGraph(tasks: readonly TaskOutline[], report: Report): FindTask {
  const find = checkNames(tasks, report);
  const edges: number[] = [];
  tasks.forEach((task, to) => {
    const seen = new Set<string>();
    for (const need of task.needs) {
      const { path, text } = need;
      if (seen.has(text)) report(path, 'duplicate-name', said('file.needTwice', { task: text }));
      else if (text === task.name) report(path, 'self-edge', said('file.selfEdge', { task: text }));
      else {
        const from = find(need);
        if (from !== undefined && from !== to) edges.push(from, to);
      }
      seen.add(text);
    }
  });
  for (const cycle of findCycles(tasks.length, edges)) {
    const circle = printCycle(cycle.map((i) => tasks[i].name ?? ''));
    report([...tasks[cycle[0]].path, 'needs'], 'cycle', said('file.cycle', { tasks: circle }));
  }
  return find;
}

function checkNames(tasks: readonly TaskOutline[], report: Report): FindTask {
  const index = new Map<string, number>();
  tasks.forEach(({ name, path }, i) => {
    if (name === undefined) return;
    if (index.has(name)) report([...path, 'name'], 'duplicate-name', said('file.taskTwice', { name }));
    else index.set(name, i);
  });
  const suggest = suggestFrom([...index.keys()]);
  return ({ text, path }) => {
    const found = index.get(text);
    if (found === undefined)
      report(path, 'unknown-task', said('none.taskOfWorkflow', { task: text, hint: suggest(text) }));
    return found;
  };
}
