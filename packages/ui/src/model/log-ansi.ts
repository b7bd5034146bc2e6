/**
 * Text with ANSI colours as pieces of plain text, each with its style. Only colours and weights are understood;
 * every other control sequence (cursor, titles, links) is dropped, so nothing in a log can do anything but be read.
 */

/** A piece of a line. Colours are numbers of the 256-colour table or `#rrggbb`. */
export interface Piece {
  readonly text: string;
  readonly colour?: number | string;
  readonly background?: number | string;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
}

type Style = Omit<Piece, 'text'>;

// CSI sequences, OSC strings (titles, links) up to their end, and two-character escapes.
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /\x1b(?:\[([0-9;:]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]/g;

/** A line as pieces; a line without colours is one piece. */
export function piecesOf(line: string): readonly Piece[] {
  // A carriage return starts the line over, as progress bars do: the last writing is what one sees.
  const shown = line.replace(/\r+$/, '');
  const text = shown.includes('\r') ? shown.slice(shown.lastIndexOf('\r') + 1) : shown;
  const pieces: Piece[] = [];
  let style: Style = {};
  let from = 0;
  const take = (to: number) => {
    if (to > from) pieces.push({ text: text.slice(from, to), ...style });
  };
  for (const found of text.matchAll(sequence)) {
    take(found.index);
    from = found.index + found[0].length;
    if (found[2] === 'm') style = styled(style, found[1]);
  }
  take(text.length);
  return pieces;
}

/** A line without its colours, for search and copy. */
export function plainText(line: string): string {
  return piecesOf(line)
    .map(({ text }) => text)
    .join('');
}

function styled(style: Style, list: string): Style {
  const codes = list.split(/[;:]/).map(Number);
  let next: Style = style;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes, i + 1);
      if (colour !== undefined) next = { ...next, [code === 38 ? 'colour' : 'background']: colour };
      i += used;
    } else next = changed(next, code);
  }
  return next;
}

/** `5;n` of the table or `2;r;g;b`, and how many codes that took. */
function extended(codes: readonly number[], at: number): [number | string | undefined, number] {
  const byte = (value: number | undefined) => value !== undefined && value >= 0 && value <= 255;
  if (codes[at] === 5) return [byte(codes[at + 1]) ? codes[at + 1] : undefined, 2];
  if (codes[at] !== 2) return [undefined, 0];
  const parts = codes.slice(at + 1, at + 4);
  if (parts.length < 3 || !parts.every(byte)) return [undefined, parts.length + 1];
  return [`#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`, 4];
}

function changed(style: Style, code: number): Style {
  const without = (...keys: (keyof Style)[]): Style =>
    Object.fromEntries(Object.entries(style).filter(([key]) => !keys.includes(key as keyof Style)));
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return without('bold', 'dim');
  if (code === 23) return without('italic');
  if (code === 24) return without('underline');
  if (code === 39) return without('colour');
  if (code === 49) return without('background');
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  return style;
}
