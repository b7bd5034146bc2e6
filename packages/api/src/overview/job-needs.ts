/** Needs about elastic jobs: jobs that no instance runs, and shards without an instance. */
import { said } from '@orrery/core/texts';
import type { Clock } from '@orrery/core/timing';
import type { JobOperator, JobSummary } from '@orrery/elastic/board';
import { quoted } from '../node-commands.ts';
import { type Need, need } from './need.ts';

/** Jobs are listed at most this often. */
const EVERY = 5_000;
/** Shards without an owner for a moment are being divided. */
const SETTLED_WITHIN = 15_000;

type Center = { readonly name: string; readonly operator: JobOperator };

/** What was last found. It is read in the background: a slow registry does not hold up Home. */
export class JobNeeds {
  private readonly centers: readonly Center[];
  private readonly clock: Clock;
  private found: readonly Need[] = [];
  /** Since when a job has been in its state, by kind and name. */
  private known = new Map<string, number>();
  private readAt = Number.NEGATIVE_INFINITY;
  private reading = false;

  constructor(centers: readonly Center[], clock: Clock) {
    this.centers = centers;
    this.clock = clock;
  }

  current(): readonly Need[] {
    if (this.centers.length > 0 && !this.reading && this.clock.monotonic() - this.readAt >= EVERY)
      void this.read();
    return this.found;
  }

  private async read(): Promise<void> {
    this.reading = true;
    // The page of the jobs reports a registry that does not answer.
    const listed = await Promise.all(
      this.centers.map(async ({ name, operator }) =>
        (await operator.list().catch(() => [])).map((job) => ({ full: `${name}/${job.name}`, name, job })),
      ),
    );
    const now = this.clock.now();
    const seen = new Map<string, number>();
    this.found = listed.flat().flatMap(({ full, name, job }): Need[] => {
      const kind = kindOf(job);
      if (!kind) return [];
      const key = `${kind} ${full}`;
      const since = this.known.get(key) ?? now;
      seen.set(key, since);
      if (kind === 'job-unowned' && now - since < SETTLED_WITHIN) return [];
      return [
        need(kind, full, {
          said:
            kind === 'job-idle'
              ? said('need.jobIdle', { job: full })
              : said('need.jobUnowned', { job: full, count: job.unowned, shards: job.shards }),
          fields: { job: full, count: job.unowned, shards: job.shards },
          since,
          count: job.unowned,
          examples: [full],
          address: `/jobs/${encodeURIComponent(name)}/${encodeURIComponent(job.name)}`,
          command: `orrery jobs show ${quoted(full)}`,
        }),
      ];
    });
    this.known = seen;
    this.readAt = this.clock.monotonic();
    this.reading = false;
  }
}

/** One that is disabled runs nowhere because someone wants that; one without a cron waits to be triggered. */
function kindOf({ status, cron, unowned }: JobSummary): 'job-idle' | 'job-unowned' | undefined {
  if (status === 'idle') return cron === undefined ? undefined : 'job-idle';
  return status !== 'disabled' && status !== 'broken' && unowned > 0 ? 'job-unowned' : undefined;
}
