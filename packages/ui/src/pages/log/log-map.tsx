/** The whole log as a thin strip: where errors and hits are, and where one is. Pressed, it goes there. */
import { type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import { type Ink, readInk } from '../../graph/ink.ts';
import { useThemeChange } from '../../graph/use-theme-change.ts';
import style from './log.module.css';

/** The minimum height of the viewport mark, however small its share of the log. */
const LEAST = 6;

/** The imperative handle of the strip. */
export interface LogMapHandle {
  /** Sets the lines in view. Draws without a render, since this happens every frame while scrolling. */
  see(from: number, to: number): void;
}

interface LogMapProps {
  readonly label: string;
  readonly lines: number;
  readonly errors: readonly number[];
  readonly hits: readonly number[];
  readonly handle: RefObject<LogMapHandle | null>;
  readonly onGo: (line: number) => void;
}

export function LogMap({ label, lines, errors, hits, handle, onGo }: LogMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const marks = useRef<{ readonly picture: OffscreenCanvas; readonly ink: Ink }>(undefined);
  const seen = useRef<readonly [from: number, to: number]>([0, 0]);
  const draw = () => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || !marks.current) return;
    const { width, height } = element;
    const { picture, ink } = marks.current;
    const y = (line: number) => (line / Math.max(lines, 1)) * height;
    context.clearRect(0, 0, width, height);
    context.fillStyle = ink.line;
    const [from, to] = seen.current;
    const least = LEAST * devicePixelRatio;
    context.fillRect(0, Math.min(y(from), height - least), width, Math.max(y(to + 1) - y(from), least));
    if (picture.width > 0 && picture.height > 0) context.drawImage(picture, 0, 0);
  };
  useImperativeHandle(handle, () => ({
    see: (from, to) => {
      seen.current = [from, to];
      draw();
    },
  }));
  useThemeChange();
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    element.width = Math.round(element.clientWidth * devicePixelRatio);
    element.height = Math.round(element.clientHeight * devicePixelRatio);
    const ink = readInk(element);
    marks.current = { picture: drawMarks(element, ink, { lines, errors, hits }), ink };
    draw();
  });
  return (
    <canvas
      ref={canvas}
      className={style.map}
      data-hint={label}
      onPointerDown={(event) => {
        const { top, height } = event.currentTarget.getBoundingClientRect();
        onGo(Math.floor(((event.clientY - top) / height) * lines));
      }}
    />
  );
}

/** Errors on the left, hits on the right: thousands of marks, drawn once. */
function drawMarks(
  { width, height }: HTMLCanvasElement,
  ink: Ink,
  { lines, errors, hits }: Pick<LogMapProps, 'lines' | 'errors' | 'hits'>,
): OffscreenCanvas {
  const picture = new OffscreenCanvas(width, height);
  const context = picture.getContext('2d');
  if (!context) return picture;
  const mark = (some: readonly number[], left: number, colour: string) => {
    context.fillStyle = colour;
    for (const line of some)
      context.fillRect(left + 2, (line / Math.max(lines, 1)) * height, width / 2 - 4, 2 * devicePixelRatio);
  };
  mark(errors, 0, ink.states.failed.fill);
  mark(hits, width / 2, ink.states.waiting.fill);
  return picture;
}
