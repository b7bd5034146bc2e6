/** The task types there are: those of this server itself, and those that living workers say they can run. */
import type { Store } from '@orrery/store';
import { z } from 'zod';
import type { TaskTypeInfo } from './options.ts';

/** Finds them. What workers say is read once, however often it is asked for: schemas are compiled by their identity. */
export function taskTypesOf(store: Store, own: () => readonly TaskTypeInfo[]): () => Promise<TaskTypeInfo[]> {
  let read = new Map<string, readonly TaskTypeInfo[]>();
  return async () => {
    const texts = await store.listTaskTypes();
    read = new Map(texts.map((text) => [text, read.get(text) ?? typesIn(text)]));
    const known = new Map<string, TaskTypeInfo>();
    // Of two with one name the server's own counts, then that of the worker whose name comes first.
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
  }),
);

/** What a worker of another version says may not be readable: then its types are not known, as if it said nothing. */
function typesIn(text: string): readonly TaskTypeInfo[] {
  try {
    return announced.parse(JSON.parse(text));
  } catch {
    return [];
  }
}
