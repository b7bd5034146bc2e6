/** How texts that others wrote are put into a message. */

/** Markup becomes text: for HTML, and for chats that read these three characters as markup. */
export function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Markup as text, shortened to a number of characters without splitting what stands for one: half of `&lt;` is refused. */
export function escapedWithin(text: string, most: number): string {
  const whole = escaped(text);
  return whole.length <= most ? whole : cut(whole, most).replace(/&[a-z]*…$/, '…');
}

/** Shortens a text to a number of characters, and never splits one. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Shortens a text to a number of bytes, and never splits a character. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return `${bytes
    .subarray(0, most - 3)
    .toString()
    .replace(/\uFFFD+$/, '')}…`;
}

/** Control characters and those that reverse the direction of text become spaces; line breaks stay. */
export function withoutControls(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
}
