/** Names that are near to one that is not there, the nearest first: for "did you mean". */

/** Limit of compared characters: names are short, and a list may be long. */
const MOST_CHARACTERS = 60;

/** The nearest of some names. */
export function nearNames(wanted: string, names: readonly string[], most: number): readonly string[] {
  const word = plain(wanted);
  return names
    .map((name) => ({ name, far: distance(word, plain(name)) }))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ name }) => name);
}

/** What people mix up without noticing: case, and the marks between words. */
function plain(word: string): string {
  return word
    .toLowerCase()
    .replace(/[-_. ]/g, '')
    .slice(0, MOST_CHARACTERS);
}

/** How many characters have to be changed, added or left out; a part of a name is nearer than another name. */
function distance(a: string, b: string): number {
  if (a !== '' && (a.includes(b) || b.includes(a))) return Math.abs(a.length - b.length) / MOST_CHARACTERS;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    previous = row;
  }
  return previous[b.length];
}
