/**
 * The connections that a task names: one under `connection`; several under `connections`, as a list or by
 * use.
 */

/**
 * Their names in a task's `with`, each once. Other types than texts are ignored: a plugin may give them
 * another meaning.
 */
export function connectionsIn(settings: unknown): string[] {
  if (settings === null || typeof settings !== 'object') return [];
  const { connection, connections } = settings as { connection?: unknown; connections?: unknown };
  const several = connections !== null && typeof connections === 'object' ? Object.values(connections) : [];
  const names = [connection, ...several].filter((name) => typeof name === 'string' && name !== '');
  return [...new Set(names as string[])];
}
