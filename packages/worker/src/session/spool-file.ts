/**
 * Stores reports in a file, one JSON line each. It appends, rewrites the file with the wanted reports once it
 * has grown, and empties it when none is wanted. The file is not flushed to the device: a machine that
 * crashes takes its attempts with it, and they are given up and retried like those of any lost worker.
 */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SpooledReport, SpoolStore } from './spool.ts';

const REWRITE_AT = 1_048_576;

/** A store in this folder, which no other worker may use at the same time. */
export function spoolFile(folder: string, warn: (text: string) => void): SpoolStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'reports.jsonl');
  let file = openSync(path, 'a', 0o600);
  let size = 0;
  /** The size above which a rewrite pays off. */
  let limit = REWRITE_AT;
  /** Whether the last line is incomplete. */
  let torn = false;

  /** Reports that cannot be stored on disk are still sent from memory; only a restart would lose them. */
  const attempt = (write: () => void): void => {
    try {
      write();
    } catch (error) {
      torn = true;
      warn(`cannot keep reports on disk: ${error}`);
    }
  };

  return {
    load() {
      const text = readFileSync(path, 'utf8');
      size = Buffer.byteLength(text);
      torn = text !== '' && !text.endsWith('\n');
      return parse(text, warn);
    },
    append(reports) {
      attempt(() => {
        const bytes = Buffer.from((torn ? '\n' : '') + lines(reports));
        const written = writeSync(file, bytes);
        size += written;
        torn = written < bytes.length;
      });
    },
    compact(wanted) {
      if (wanted.size > 0 && size < limit) return;
      if (size === 0) return;
      attempt(() => {
        if (wanted.size === 0) {
          ftruncateSync(file);
          size = 0;
        } else {
          const text = lines(wanted.values());
          writeFileSync(`${path}.new`, text, { mode: 0o600 });
          renameSync(`${path}.new`, path);
          // Closed only after the new file is open: otherwise its descriptor could be reused for another file
          // and receive reports.
          const next = openSync(path, 'a');
          closeSync(file);
          file = next;
          size = Buffer.byteLength(text);
        }
        limit = size + REWRITE_AT;
        torn = false;
      });
    },
  };
}

function lines(reports: Iterable<SpooledReport>): string {
  let text = '';
  for (const { epoch, report } of reports) text += `${JSON.stringify({ epoch, report })}\n`;
  return text;
}

function parse(text: string, warn: (text: string) => void): SpooledReport[] {
  const reports: SpooledReport[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      const { epoch, report } = JSON.parse(line) as SpooledReport;
      if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(report.attempt.run))
        throw new TypeError('it is of no attempt');
      reports.push({ epoch, report });
    } catch {
      warn(`a report in the spool cannot be read and is dropped: ${line.slice(0, 200)}`);
    }
  }
  return reports;
}
