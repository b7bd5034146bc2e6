/** Runs an async step one at a time. Requests during a run are coalesced into one more run. */
export class SingleFlight {
  private readonly step: () => Promise<void>;
  private flight: Promise<void> | undefined;
  private again: Promise<void> | undefined;

  constructor(step: () => Promise<void>) {
    this.step = step;
  }

  /** Resolves after a run that began after this call. */
  ask(): Promise<void> {
    if (!this.flight) {
      this.flight = this.step().finally(() => {
        this.flight = undefined;
      });
      return this.flight;
    }
    this.again ??= this.flight
      .catch(() => {})
      .then(() => {
        this.again = undefined;
        return this.ask();
      });
    return this.again;
  }
}
