/**
 * A card with letters in the fonts, sizes, weights and scripts of the console, with lines, curves and colours. Where it
 * looks as it did when pictures were stored, the same program draws here, with the same fonts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const variables = join(import.meta.dirname, '../../../../packages/ui/src/theme/variables.css');
const letters = 'Workflows 0123456789 → ✓ ✕ · “quick” fjord, glyphs: Ágéúó···';
const chinese = '工作流 运行 任务 调度 重新分片 简体中文,等待 4 分';
const line = (style: string, text: string) => `<p style="${style}">${text}</p>`;

/** How large it is. */
export const cardSize = { width: 640, height: 360 };

/** Its page. */
export const cardPage = `<!doctype html><html lang="en"><meta charset="utf-8"><style>
  ${readFileSync(variables, 'utf8')}
  body { margin: 12px; background: var(--ground); color: var(--text); font: 13px / 1.45 var(--sans) }
  p { margin: 0 0 2px; white-space: nowrap }
</style>
${[12, 13, 15, 20].map((size) => line(`font-size: ${size}px`, letters)).join('')}
${[500, 600, 700].map((weight) => line(`font-weight: ${weight}`, letters)).join('')}
${line('', chinese)}${line('font-weight: 600', chinese)}
${line('font: 12px var(--mono)', letters)}${line('font: 12px var(--mono)', chinese)}
<svg width="480" height="50" fill="none" stroke="#57606a" stroke-width="1.5">
  <circle cx="24" cy="24" r="14"/><path d="M60 40 C 90 0 120 80 150 20 L 190 44 M200 10 l 18 12 -18 12 z"/>
  <rect x="240.5" y="8.5" width="80" height="28" rx="4" fill="#0c6351"/>
  <rect x="340" y="8" width="80" height="28" rx="4" fill="#a01c0a" stroke-dasharray="4 3"/>
  <circle cx="450" cy="24" r="14" fill="#1583e0" opacity="0.5"/>
</svg>
<canvas width="600" height="24"></canvas>
<script>
  const pen = document.querySelector('canvas').getContext('2d');
  pen.font = '500 13px ' + getComputedStyle(document.body).fontFamily;
  pen.fillText(${JSON.stringify(letters)}, 0, 16);
</script></html>`;
