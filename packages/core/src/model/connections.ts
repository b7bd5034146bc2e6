/** The connections that a task names: under `connection`, one; under `connections`, several, as a list or by use. */

/** Their names, each once, as they stand in a task's `with`. What is not a text is passed over: a plugin may mean something else. */
export function connectionsIn(settings: unknown): string[] {
  if (settings === null || typeof settings !== 'object') return [];
  const { connection, connections } = settings as { connection?: unknown; connections?: unknown };
  const several = connections !== null && typeof connections === 'object' ? Object.values(connections) : [];
  const names = [connection, ...several].filter((name) => typeof name === 'string' && name !== '');
  return [...new Set(names as string[])];
}
