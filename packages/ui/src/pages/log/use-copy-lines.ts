/** Copies lines of a log as the server has them: of those that were chosen, only the ones near the view are at hand. */
import { call } from '../../data/client.ts';
import { copyText } from '../../data/clipboard.ts';
import { useText } from '../../i18n/text.tsx';
import { plainText } from '../../model/log-ansi.ts';
import { linesText } from '../../model/log-line.ts';
import { linesOf } from '../../model/log-read.ts';
import { notify } from '../../parts/notices.tsx';

/** Lines of a log, counted from 1. */
interface Chosen {
  readonly from: number;
  readonly to: number;
}

/** Copies lines of an attempt's log and reports their count; at most one answer of the server. */
export function useCopyLines(attempt: string): (chosen: Chosen) => Promise<void> {
  const text = useText();
  return async (chosen) => {
    try {
      const piece = await call('readLog', { id: attempt, line: linesText(chosen) });
      const lines = linesOf(piece.text);
      await copyText(lines.map(plainText).join('\n'));
      const wanted = Math.min(chosen.to, piece.lines ?? chosen.to) - chosen.from + 1;
      if (lines.length < wanted) notify(text('log.copiedSome', { count: lines.length, wanted }), 'bad');
      else notify(text('log.copied', { count: lines.length }), 'good');
    } catch (error) {
      notify(text('log.notCopied', { why: (error as Error).message }), 'bad');
    }
  };
}
