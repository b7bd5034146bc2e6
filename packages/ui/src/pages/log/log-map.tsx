/** The whole log as a thin strip: where errors and hits are, and where one is. Pressed, it goes there. */
import { useEffect, useRef } from 'react';
import { readInk } from '../../graph/ink.ts';
import style from './log.module.css';

interface LogMapProps {
  readonly label: string;
  readonly lines: number;
  readonly errors: readonly number[];
  readonly hits: readonly number[];
  readonly seen: readonly [from: number, to: number];
  readonly onGo: (line: number) => void;
}

export function LogMap({ label, lines, errors, hits, seen, onGo }: LogMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const { clientWidth: width, clientHeight: height } = element;
    element.width = Math.round(width * devicePixelRatio);
    element.height = Math.round(height * devicePixelRatio);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const ink = readInk(element);
    const y = (line: number) => (line / Math.max(lines, 1)) * height;
    context.fillStyle = ink.line;
    context.fillRect(0, y(seen[0]), width, Math.max(y(seen[1] + 1) - y(seen[0]), 6));
    context.fillStyle = ink.states.failed.fill;
    for (const line of errors) context.fillRect(2, y(line), width / 2 - 2, 2);
    context.fillStyle = ink.states.waiting.fill;
    for (const line of hits) context.fillRect(width / 2, y(line), width / 2 - 2, 2);
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
