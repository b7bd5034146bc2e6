/** The process of an `sql` task on an embedded database: does the job in the folder it is given. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDuckdb } from './duckdb.ts';
import type { EmbeddedInput, EmbeddedResult } from './embedded.ts';
import { runJob } from './job.ts';
import { openSqlite } from './sqlite.ts';

const folder = process.argv[2];
const { kind, settings, job, codeFolder } = JSON.parse(
  readFileSync(join(folder, 'job.json'), 'utf8'),
) as EmbeddedInput;

const finish = (result: EmbeddedResult): void =>
  writeFileSync(join(process.env.ORRERY_WORK_DIR ?? folder, 'result.json'), JSON.stringify(result), {
    mode: 0o600,
  });

try {
  const session = await (kind === 'sqlite' ? openSqlite(settings) : openDuckdb(settings, codeFolder));
  const notes: string[] = [];
  const outputs = await runJob(session, job, {
    log: (line) => console.log(line),
    note: (line) => notes.push(line),
  });
  await session.close();
  finish({ outputs, notes });
} catch (error) {
  const { message, fatal = false } = error as Error & { fatal?: boolean };
  finish({ failure: { message, fatal } });
  process.exitCode = 1;
}
