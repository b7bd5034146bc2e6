/** Draws the rows of a timeline that are in view: hatched where a task waits, solid where it runs. */
import { cutToWidth, drawIcon, drawParts } from '../../../graph/draw-marks.ts';
import type { Ink } from '../../../graph/ink.ts';
import { lookOf } from '../../../model/state.ts';
import type { Span } from '../../../model/timeline.ts';
import { axisTimes, GAP_WIDTH, type TimeScale } from '../../../model/timeline-scale.ts';
import type { WaitKind } from '../../../model/wait.ts';
import { hatch } from './hatch.ts';

/** Measures of the timeline in pixels. */
export const ROW = 28;
export const AXIS = 28;
export const LABEL_WIDTH = 224;
export const SUM_WIDTH = 148;

/** One row as it is drawn. */
export interface TimelineRow {
  readonly key: string;
  readonly label: string;
  /** Null of a row that only leads on. */
  readonly state: string | null;
  /** How far it is set in: shards stand below their task. */
  readonly depth: number;
  readonly spans: readonly Span[];
  /** What it waited or waits for in one of them. */
  readonly waitOf: (span: Span) => WaitKind;
  readonly parts: readonly (readonly [string, number])[] | null;
  /** Whether it folds out, and is folded out. */
  readonly fold: 'none' | 'closed' | 'open';
  /** Times in words, at the right; only of rows that are seen. */
  readonly sum: (now: number) => string;
  readonly onPath: boolean;
  readonly faded: boolean;
}

/** A frame of the timeline. */
export interface TimelineFrame {
  readonly rows: readonly TimelineRow[];
  readonly scale: TimeScale;
  readonly now: number;
  readonly live: boolean;
  readonly scrollTop: number;
  readonly width: number;
  readonly height: number;
  readonly labelWidth: number;
  readonly sumWidth: number;
  readonly current: number;
  readonly hovered: number;
  /** A stretch that is being picked, in pixels of the plot. */
  readonly brush: readonly [number, number] | null;
  readonly axisLabel: (time: number) => string;
  readonly waitLabel: (wait: WaitKind) => string;
}

/** Draws a frame. */
export function drawTimeline(context: CanvasRenderingContext2D, frame: TimelineFrame, ink: Ink): void {
  const { rows, scrollTop, width, height } = frame;
  context.clearRect(0, 0, width, height);
  drawGrid(context, frame, ink);
  const first = Math.max(0, Math.floor(scrollTop / ROW));
  const last = Math.min(rows.length, Math.ceil((scrollTop + height - AXIS) / ROW));
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  for (let i = first; i < last; i++) drawRow(context, frame, i, AXIS + i * ROW - scrollTop, ink);
  context.restore();
  drawAxis(context, frame, ink);
}

function plot({ labelWidth, sumWidth, width }: TimelineFrame): { x: number; width: number } {
  return { x: labelWidth, width: width - labelWidth - sumWidth };
}

function drawGrid(context: CanvasRenderingContext2D, frame: TimelineFrame, ink: Ink): void {
  const { scale, height, live, now } = frame;
  const { x } = plot(frame);
  context.fillStyle = ink.line;
  for (const time of axisTimes(scale))
    context.fillRect(Math.round(x + scale.toX(time)), AXIS, 1, height - AXIS);
  for (const [from] of scale.gaps) {
    context.fillStyle = ink.raised;
    context.fillRect(x + scale.toX(from), AXIS, GAP_WIDTH, height - AXIS);
  }
  if (live && now <= scale.to) {
    context.fillStyle = ink.focus;
    context.fillRect(Math.round(x + scale.toX(now)), AXIS, 1, height - AXIS);
  }
}

function drawAxis(context: CanvasRenderingContext2D, frame: TimelineFrame, ink: Ink): void {
  const { scale, width, height, brush, axisLabel } = frame;
  const area = plot(frame);
  context.fillStyle = ink.ground;
  context.fillRect(0, 0, width, AXIS);
  context.fillStyle = ink.line;
  context.fillRect(0, AXIS - 1, width, 1);
  context.font = `11px ${ink.sans}`;
  context.fillStyle = ink.dim;
  for (const time of axisTimes(scale)) {
    const x = area.x + scale.toX(time);
    if (x > area.x + area.width - 30) continue;
    context.fillText(axisLabel(time), x + 4, AXIS - 10);
    context.fillRect(Math.round(x), AXIS - 7, 1, 6);
  }
  for (const [from] of scale.gaps) context.fillText('⋯', area.x + scale.toX(from) + 7, AXIS - 10);
  if (!brush) return;
  const [from, to] = [Math.min(...brush), Math.max(...brush)];
  context.fillStyle = ink.focus;
  context.globalAlpha = 0.15;
  context.fillRect(area.x + from, 0, to - from, height);
  context.globalAlpha = 1;
  context.fillRect(area.x + from, 0, 1, height);
  context.fillRect(area.x + to, 0, 1, height);
}

function drawRow(
  context: CanvasRenderingContext2D,
  frame: TimelineFrame,
  i: number,
  y: number,
  ink: Ink,
): void {
  const row = frame.rows[i];
  const area = plot(frame);
  if (i === frame.current || i === frame.hovered) {
    context.fillStyle = i === frame.current ? ink.chosen : ink.raised;
    context.fillRect(0, y, frame.width, ROW);
  }
  context.globalAlpha = row.faded ? 0.35 : 1;
  drawLabel(context, frame, row, y, ink);
  context.save();
  context.beginPath();
  context.rect(area.x, y, area.width, ROW);
  context.clip();
  for (const span of row.spans) drawSpan(context, frame, row, span, area.x, y, ink);
  context.restore();
  if (frame.sumWidth > 0) {
    context.font = `11.5px ${ink.sans}`;
    context.fillStyle = ink.dim;
    context.textAlign = 'right';
    context.fillText(
      cutToWidth(context, row.sum(frame.now), frame.sumWidth - 16, 'sum'),
      frame.width - 8,
      y + 18,
    );
    context.textAlign = 'left';
  }
  context.globalAlpha = 1;
  context.fillStyle = ink.line;
  context.globalAlpha = 0.5;
  context.fillRect(0, y + ROW - 1, frame.width, 1);
  context.globalAlpha = 1;
}

function drawLabel(
  context: CanvasRenderingContext2D,
  frame: TimelineFrame,
  row: TimelineRow,
  y: number,
  ink: Ink,
): void {
  const { family, icon } = lookOf(row.state ?? 'running');
  const x = 8 + row.depth * 16;
  if (row.fold !== 'none') {
    context.strokeStyle = ink.dim;
    context.lineWidth = 1.5;
    context.beginPath();
    if (row.fold === 'open') {
      context.moveTo(x, y + 12);
      context.lineTo(x + 4, y + 16);
      context.lineTo(x + 8, y + 12);
    } else {
      context.moveTo(x + 2, y + 10);
      context.lineTo(x + 6, y + 14);
      context.lineTo(x + 2, y + 18);
    }
    context.stroke();
  }
  if (row.state !== null) drawIcon(context, icon, x + 14, y + 6, ink.states[family].text);
  context.font = `${row.onPath ? 600 : 400} 12.5px ${ink.sans}`;
  context.fillStyle = family === 'neutral' ? ink.dim : ink.text;
  const room = frame.labelWidth - x - 44;
  context.fillText(cutToWidth(context, row.label, room, row.onPath ? 'bold row' : 'row'), x + 36, y + 18);
}

function drawSpan(
  context: CanvasRenderingContext2D,
  frame: TimelineFrame,
  row: TimelineRow,
  span: Span,
  left: number,
  y: number,
  ink: Ink,
): void {
  const { kind, from, to, state } = span;
  const { scale, now } = frame;
  const x = left + scale.toX(from);
  const width = Math.max(scale.toX(to ?? Math.max(now, from)) + left - x, 2);
  if (x > left + scale.width || x + width < left) return;
  const { family } = lookOf(state);
  const colour = ink.states[family];
  if (kind === 'wait') {
    const wait = row.waitOf(span);
    const shown = ink.states[family === 'neutral' ? 'waiting' : family];
    context.fillStyle = hatch(context, shown.fill, wait);
    context.fillRect(x, y + 9, width, 10);
    const label = frame.waitLabel(wait);
    context.font = `11px ${ink.sans}`;
    if (width > context.measureText(label).width + 12) {
      context.fillStyle = ink.ground;
      context.globalAlpha *= 0.85;
      context.fillRect(x + 4, y + 7, context.measureText(label).width + 6, 14);
      context.globalAlpha = row.faded ? 0.35 : 1;
      context.fillStyle = shown.text;
      context.fillText(label, x + 7, y + 18);
    }
    return;
  }
  context.fillStyle = colour.fill;
  context.beginPath();
  context.roundRect(x, y + 7, width, 14, 2);
  context.fill();
  if (row.onPath) {
    context.strokeStyle = ink.text;
    context.lineWidth = 1.5;
    context.stroke();
  }
  if (row.parts) drawParts(context, row.parts, x, y + 22, width, ink);
}
