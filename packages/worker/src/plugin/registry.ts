/** The task types of a worker, by name. */
import { InvalidInput } from '@orrery/core/errors';
import { isLogicType } from '@orrery/core/model';
import { z } from 'zod';
import type { Plugin } from './contract.ts';

/** A task type as the API shows it. */
export interface TaskType {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the task's `with`. */
  readonly schema: unknown;
  /** Present if its attempts poll, and take no slot. */
  readonly waits?: true;
}

/** Plugins by the name of their type. */
export type Registry = ReadonlyMap<string, Plugin>;

/** A plugin and where it comes from, for messages. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly from: string;
}

/** Combines plugins. Two of one name are refused, since it would be random which of them ran. */
export function createRegistry(loaded: readonly LoadedPlugin[]): Registry {
  const registry = new Map<string, Plugin>();
  const sources = new Map<string, string>();
  for (const { plugin, from } of loaded) {
    const { name } = plugin;
    const other = sources.get(name);
    if (other !== undefined)
      throw new InvalidInput(
        `task type "${name}" comes from ${other} and from ${from}: rename or remove one`,
      );
    if (isLogicType(name) || name === 'backfill')
      throw new InvalidInput(`task type "${name}" of ${from} is one that masters run themselves: rename it`);
    registry.set(name, plugin);
    sources.set(name, from);
  }
  return registry;
}

/** The task types of a registry, for the API and the console. */
export function taskTypes(registry: Registry): TaskType[] {
  return [...registry.values()].map(({ name, title, description, schema, poll }) => ({
    name,
    title,
    description,
    schema: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
    ...(poll && { waits: true as const }),
  }));
}
