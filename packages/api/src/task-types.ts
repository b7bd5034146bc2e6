/** The task types there are: those of this server itself, and those that living workers say they can run. */
import type { Store } from '@orrery/store';
import { z } from 'zod';
import type { TaskTypeInfo } from './options.ts';

/**
 * Returns the task types. Reports of workers are parsed once and cached, since schemas are compiled by
 * identity.
 */
export function taskTypesOf(store: Store, own: () => readonly TaskTypeInfo[]): () => Promise<TaskTypeInfo[]> {
  let read = new Map<string, readonly TaskTypeInfo[]>();
  return async () => {
    const texts = await store.listTaskTypes();
    read = new Map(texts.map((text) => [text, read.get(text) ?? typesIn(text)]));
    const known = new Map<string, TaskTypeInfo>();
    // If two share a name, the server's own wins, then the one of the first worker by name.
    for (const type of [own(), ...read.values()].flat()) {
      if (!known.has(type.name)) known.set(type.name, type);
    }
    return [...known.values()];
  };
}

const announced = z.array(
  z.object({
    name: z.string().min(1),
    title: z.string().optional(),
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()).optional(),
    waits: z.boolean().optional(),
  }),
);

/** A worker of another version may send an unreadable report; its types then count as unknown. */
function typesIn(text: string): readonly TaskTypeInfo[] {
  try {
    return announced.parse(JSON.parse(text));
  } catch {
    return [];
  }
}
