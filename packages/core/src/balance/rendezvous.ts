/**
 * Rendezvous hashing: every member has a score for a key; ordered by score, the members are the first choice
 * and its stand-ins. When a member comes or goes, only the keys it wins or had move.
 */

/** The members in their order of responsibility for the key. */
export function rendezvous(key: string, members: readonly string[]): string[] {
  return members
    .map((member) => ({ member, score: scoreOf(member, key) }))
    .sort((a, b) => b.score - a.score || (a.member < b.member ? -1 : 1))
    .map(({ member }) => member);
}

/**
 * FNV-1a over both texts, then the finaliser of MurmurHash3: without it, names with different endings score
 * alike.
 */
function scoreOf(member: string, key: string): number {
  const text = `${member}\n${key}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
