/** Where an operation is asked: its path with the values filled in, and the rest of the input as the query. */

/** `/runs/{id}` with `{ id: 12, limit: 5 }` is `/runs/12?limit=5`. A value that the path needs must be there. */
export function addressOf(path: string, values: Readonly<Record<string, unknown>>): string {
  const used = new Set<string>();
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // An empty part would ask for something else: the list in place of one of its entries.
    if (value === undefined || value === null || value === '')
      throw new TypeError(`${path} needs a value for "${name}"`);
    used.add(name);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (used.has(name) || value === undefined || value === null) continue;
    query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}
