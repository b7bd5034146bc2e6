import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '@orrery/wire/frames';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { Spool } from './spool.ts';
import { spoolFile } from './spool-file.ts';

function report(run: number, logTail?: string): Report {
  const attempt = { run, task: 0, shard: -1, number: 1 };
  return { attempt, outcome: { state: 'success' }, startedAt: 1, endedAt: 2, logTail };
}

function open(path: string) {
  const warnings: string[] = [];
  const spool = new Spool(spoolFile(path, (text) => warnings.push(text)));
  return { spool, warnings, file: join(path, 'reports.jsonl') };
}

describe('reports on disk', () => {
  it('are there again after a restart, with their epochs, in order', () => {
    const path = temporaryFolder();
    const { spool } = open(path);
    spool.add(4, report(1));
    spool.add(4, report(2));
    spool.add(5, report(3));
    spool.write();
    const again = open(path).spool;
    expect(again.size).toBe(3);
    expect(again.next(0)).toEqual({ epoch: 4, reports: [report(1), report(2)] });
    expect(again.next(0)).toEqual({ epoch: 5, reports: [report(3)] });
    expect(again.next(0)).toBeUndefined();
  });

  it('are gone once all are acknowledged', () => {
    const path = temporaryFolder();
    const { spool, file } = open(path);
    spool.add(1, report(1));
    spool.add(1, report(2));
    spool.write();
    spool.acknowledged([report(1).attempt]);
    spool.acknowledged([report(2).attempt]);
    expect(statSync(file).size).toBe(0);
    spool.add(1, report(3));
    spool.write();
    expect(open(path).spool.next(0)?.reports).toEqual([report(3)]);
  });

  it('do not pile up: the file is rewritten with what is wanted', () => {
    const path = temporaryFolder();
    const { spool, file } = open(path);
    const kept = report(0);
    spool.add(1, kept);
    for (let run = 1; run < 400; run++) {
      spool.add(1, report(run, 'x'.repeat(16_000)));
      spool.write();
      spool.acknowledged([report(run).attempt]);
    }
    expect(statSync(file).size).toBeLessThan(1_200_000);
    const again = open(path).spool;
    expect(again.has(kept.attempt)).toBe(true);
  });

  it('survive a line that was cut short by a crash', () => {
    const path = temporaryFolder();
    const first = open(path);
    first.spool.add(1, report(1));
    first.spool.write();
    appendFileSync(first.file, '{"epoch":1,"rep');
    const second = open(path);
    expect(second.spool.size).toBe(1);
    expect(second.warnings).toHaveLength(1);
    second.spool.add(1, report(2));
    second.spool.write();
    expect(open(path).spool.size).toBe(2);
    expect(readFileSync(first.file, 'utf8').split('\n')).toHaveLength(4);
  });

  it.each(['null', '{}', '7', '{"epoch":1,"report":{}}'])('survive a line that is no report: %s', (line) => {
    const path = temporaryFolder();
    const { spool, file } = open(path);
    spool.add(1, report(1));
    spool.write();
    appendFileSync(file, `${line}\n`);
    const again = open(path);
    expect(again.spool.next(0)?.reports).toEqual([report(1)]);
    expect(again.warnings).toEqual([`a report in the spool cannot be read and is dropped: ${line}`]);
  });

  it('go out in frames of bounded size', () => {
    const { spool } = open(temporaryFolder());
    for (let run = 0; run < 2_500; run++) spool.add(1, report(run));
    for (let run = 3_000; run < 3_100; run++) spool.add(1, report(run, 'x'.repeat(16_000)));
    const counts: number[] = [];
    for (let next = spool.next(0); next; next = spool.next(0)) counts.push(next.reports.length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(2_600);
    expect(Math.max(...counts)).toBe(1_000);
    expect(counts.length).toBeGreaterThan(3);
  });
});
