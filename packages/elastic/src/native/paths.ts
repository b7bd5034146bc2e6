/** Where things of a job are in the registry: `/<namespace>/<job>/…`. */

/** The entries of one job. All but instances and candidates are permanent. */
export class JobPaths {
  readonly namespace: string;
  readonly root: string;
  /** The job as all instances share it. */
  readonly config: string;
  /** What operators have disabled. */
  readonly switches: string;
  readonly assignment: string;
  /** Ephemeral: the live instances. */
  readonly instances: string;
  /** Ephemeral, sequential: the oldest leads. */
  readonly candidates: string;
  /** What each instance runs; survives its crash. */
  readonly running: string;
  /** What each instance is asked to run now. */
  readonly triggers: string;
  /** Where instances meet before and after a round. */
  readonly meetings: string;

  constructor(namespace: string, job: string) {
    this.namespace = `/${namespace}`;
    this.root = `${this.namespace}/${job}`;
    this.config = `${this.root}/config`;
    this.switches = `${this.root}/switches`;
    this.assignment = `${this.root}/assignment`;
    this.instances = `${this.root}/instances`;
    this.candidates = `${this.root}/candidates`;
    this.running = `${this.root}/running`;
    this.triggers = `${this.root}/triggers`;
    this.meetings = `${this.root}/meetings`;
  }
}
