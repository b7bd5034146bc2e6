/** One line of a log: untrusted, so always shown as text. Colours are kept, hits are marked. */
import { type CSSProperties, memo, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { type Piece, piecesOf } from '../../model/log-ansi.ts';
import { expandedJson, groupOf, LONG_LINE } from '../../model/log-line.ts';
import style from './log.module.css';

interface LineTextProps {
  readonly line: string;
  /** The searched text, marked wherever it occurs. */
  readonly find: string;
  /** Whether the current hit is on this line. */
  readonly current: boolean;
  /** For the first line of a group: whether the group is folded, and a way to change that. */
  readonly folded?: boolean;
  readonly onFold?: () => void;
}

/** The text of a line. */
export const LineText = memo(function LineText({ line, find, current, folded, onFold }: LineTextProps) {
  const text = useText();
  // Keyed by line, since this element may show another line next.
  const [wholeLine, setWholeLine] = useState<string>();
  const [spreadLine, setSpreadLine] = useState<string>();
  const [whole, spread] = [wholeLine === line, spreadLine === line];
  const group = groupOf(line);
  if (group === 'end') return <span className={`${style.text} ${style.waiting}`}>└</span>;
  if (group)
    return (
      <button type="button" className={style.group} aria-expanded={!folded} onClick={onFold}>
        {folded ? '▸' : '▾'} {group.title}
      </button>
    );
  const cut = !whole && line.length > LONG_LINE;
  const json = spread ? expandedJson(line) : undefined;
  return (
    <span className={style.text}>
      {json !== undefined ? (
        <span className={style.json}>{json}</span>
      ) : (
        piecesOf(cut ? line.slice(0, LONG_LINE) : line).map((piece, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one line never move
          <PieceText key={i} piece={piece} find={find} current={current} />
        ))
      )}
      {cut && (
        <button type="button" className={style.more} onClick={() => setWholeLine(line)}>
          {text('log.showRest', { count: line.length - LONG_LINE })}
        </button>
      )}
      {(spread || expandedJson(line) !== undefined) && (
        <button
          type="button"
          className={style.more}
          aria-expanded={spread}
          onClick={() => setSpreadLine(spread ? undefined : line)}
        >
          {spread ? text('log.foldJson') : text('log.spreadJson')}
        </button>
      )}
    </span>
  );
});

function PieceText({ piece, find, current }: { piece: Piece; find: string; current: boolean }) {
  const plain = Object.keys(piece).length === 1;
  const shown = find === '' ? piece.text : marked(piece.text, find, current);
  return plain ? shown : <span style={cssOf(piece)}>{shown}</span>;
}

function marked(text: string, find: string, current: boolean) {
  const parts = [];
  const [lower, wanted] = [text.toLowerCase(), find.toLowerCase()];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push(text.slice(from, at));
    from = at + wanted.length;
    parts.push(
      <mark key={at} data-current={current}>
        {text.slice(at, from)}
      </mark>,
    );
  }
  parts.push(text.slice(from));
  return parts;
}

/** The sixteen named colours as inks readable in both themes; other colours are mixed with the text's. */
const named = [
  'var(--dim)',
  'var(--failed-text)',
  'var(--success-text)',
  'var(--waiting-text)',
  'var(--running-text)',
  'var(--stopped-text)',
  'var(--running-text)',
  'var(--text)',
];

function cssOf({ colour, background, bold, dim, italic, underline }: Piece): CSSProperties {
  return {
    color: dim ? 'var(--dim)' : colour === undefined ? undefined : inkOf(colour),
    background:
      background === undefined ? undefined : `color-mix(in srgb, ${hexOf(background)} 22%, transparent)`,
    fontWeight: bold ? 600 : undefined,
    fontStyle: italic ? 'italic' : undefined,
    textDecoration: underline ? 'underline' : undefined,
  };
}

function inkOf(colour: number | string): string {
  if (typeof colour === 'number' && colour < 16) return named[colour % 8];
  return `color-mix(in srgb, ${hexOf(colour)} 45%, var(--text))`;
}

/** A colour of the table of 256: sixteen named ones, a cube of six steps a side, and greys. */
function hexOf(colour: number | string): string {
  if (typeof colour === 'string') return colour;
  if (colour < 16) return named[colour % 8];
  if (colour >= 232) {
    const grey = 8 + (colour - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const part = (by: number) => {
    const step = Math.floor((colour - 16) / by) % 6;
    return step === 0 ? 0 : 55 + step * 40;
  };
  return `rgb(${part(36)} ${part(6)} ${part(1)})`;
}
