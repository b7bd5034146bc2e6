/** The worker that reads the text, as promises. */
import type { EditRefused } from './edit/source.ts';
import type { Answers, Ask, Reply } from './worker.ts';

/** A gesture that the text has no room for. */
export class Refused extends Error {
  readonly code: EditRefused['code'];
  readonly detail: string;

  constructor({ code, detail }: { code: EditRefused['code']; detail: string }) {
    super(detail);
    this.code = code;
    this.detail = detail;
  }
}

/** A reader that runs until it is stopped. */
export interface Reader {
  ask<One extends Ask>(ask: One): Promise<Answers[One['do']]>;
  stop(): void;
}

export function startReader(): Reader {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>();
  let last = 0;
  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ('refused' in data) asked?.reject(new Refused(data.refused));
    else asked?.resolve(data.answer as never);
  };
  return {
    ask: (ask) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        worker.postMessage({ id: last, ask });
      }),
    stop: () => worker.terminate(),
  };
}
