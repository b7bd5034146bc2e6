/** A chart of one work: a bar for each contender, ours in another colour, with the range of the rounds. */
import { figureOf, type Outcome, type Result } from './work.ts';

const [WIDTH, LABELS, VALUES, ROW, TOP] = [760, 210, 90, 28, 40];

/** The chart as SVG, readable on light and dark. */
export function chart({ title, unit, better, results }: Outcome): string {
  const most = Math.max(...results.flatMap(({ samples }) => samples.map(({ value }) => value)));
  const scale = (value: number) => Math.round(((WIDTH - LABELS - VALUES) * value) / most);
  const height = TOP + ROW * results.length + 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="22" font-weight="bold">${escaped(title)} (${unit}, ${better} is better)</text>`,
    ...results.map((result, k) => bar(result, TOP + k * ROW, scale)),
    '</svg>\n',
  ].join('\n');
}

function bar(result: Result, y: number, scale: (value: number) => number): string {
  const values = result.samples.map(({ value }) => value);
  const [low, high] = [scale(Math.min(...values)), scale(Math.max(...values))];
  const value = figureOf(result);
  const text = value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
  const middle = y + ROW / 2 - 2;
  return [
    `<text x="${LABELS - 8}" y="${y + 16}" text-anchor="end">${escaped(result.name)}</text>`,
    `<rect x="${LABELS}" y="${y + 2}" width="${Math.max(1, scale(value))}" height="${ROW - 8}" fill="${result.name.startsWith('Orrery') ? '#2f6f9f' : '#a9b4bd'}"/>`,
    `<path d="M${LABELS + low} ${middle}H${LABELS + high}M${LABELS + low} ${middle - 4}v8M${LABELS + high} ${middle - 4}v8" stroke="#222"/>`,
    `<text x="${LABELS + Math.max(high, scale(value)) + 8}" y="${y + 16}">${text}</text>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
