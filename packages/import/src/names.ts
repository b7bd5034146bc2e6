/** Names of another system made into names here, each of them once. */

const most = 100;

/** New names by old ones: letters, digits, "_", "-" and "." stay, everything else becomes "-". */
export class Names {
  private readonly taken = new Set<string>();

  /** A name of its own for this one. */
  take(old: string): string {
    const plain = old
      .trim()
      .replace(/[^\p{L}\p{N}_.-]+/gu, '-')
      .replace(/^[.-]+|-+$/g, '');
    const wanted = [...plain].slice(0, most).join('') || 'unnamed';
    let name = wanted;
    for (let next = 2; this.taken.has(name); next++) {
      const ending = `-${next}`;
      name = [...wanted].slice(0, most - ending.length).join('') + ending;
    }
    this.taken.add(name);
    return name;
  }
}
