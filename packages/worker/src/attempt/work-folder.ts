/** The folder of one attempt, made when first asked for. */
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AttemptId, attemptText } from '@orrery/wire/frames';

/** Only the worker's user may look into it: scripts and parameters may hold secrets. */
export class WorkFolder {
  /** Undefined until it is made. */
  path: string | undefined;
  private readonly parent: string;
  private readonly attempt: AttemptId;

  constructor(parent: string, attempt: AttemptId) {
    this.parent = parent;
    this.attempt = attempt;
  }

  make(): string {
    if (this.path === undefined) {
      const path = join(this.parent, attemptText(this.attempt));
      mkdirSync(path, { recursive: true, mode: 0o700 });
      this.path = path;
    }
    return this.path;
  }

  /** Where a task may leave its outputs as JSON; undefined while there is no folder. */
  get outputFile(): string | undefined {
    return this.path && join(this.path, 'output.json');
  }

  async remove(warn: (text: string) => void): Promise<void> {
    if (this.path === undefined) return;
    await rm(this.path, { recursive: true, force: true }).catch((error) =>
      warn(`cannot remove ${this.path}: ${error}`),
    );
  }
}
