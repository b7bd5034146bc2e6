/** English made strange and 40 % longer, so that pictures show texts that are cut, fixed or not translated. */

const letters: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  A: 'Á',
  E: 'É',
  O: 'Ó',
};

/** Changes text and preserves ICU syntax: everything inside braces except the branches of a choice. */
export function pseudo(message: string): string {
  let [out, depth] = ['', 0];
  for (const letter of message) {
    if (letter === '{') depth++;
    // Arguments are at odd depths, texts of branches at even ones.
    out += depth % 2 === 0 ? (letters[letter] ?? letter) : letter;
    if (letter === '}') depth--;
  }
  return `${out}${'·'.repeat(Math.ceil(message.replace(/\{.*\}/g, '').length * 0.4))}`;
}
