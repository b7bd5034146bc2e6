/** Applies a JSON merge patch (RFC 7396): sets its members at any depth; null deletes a member. */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(value) ? Object.entries(value) : []);
  for (const [name, given] of Object.entries(patch)) {
    if (given === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), given));
  }
  return Object.fromEntries(members);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
