/**
 * Knows which operations of a store are under way, so that virtual time waits for a database that takes real time:
 * what was asked at a moment is answered before the next.
 */
import type { Store } from '@orrery/store';

export class InFlight {
  private readonly open = new Set<Promise<unknown>>();

  /** The same store, watched. */
  watch(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const operation = Reflect.get(target, name);
        if (typeof operation !== 'function') return operation;
        return (...input: never[]) => {
          const answer = operation.apply(target, input);
          if (answer instanceof Promise) this.add(answer);
          return answer;
        };
      },
    });
  }

  /** Lets everything happen that needs no more time. */
  readonly settle = async (): Promise<void> => {
    do {
      await Promise.all(this.open);
      await new Promise<void>((resolve) => setImmediate(resolve));
    } while (this.open.size > 0);
  };

  private add(answer: Promise<unknown>): void {
    const over: Promise<void> = answer
      .then(
        () => {},
        () => {},
      )
      .finally(() => this.open.delete(over));
    this.open.add(over);
  }
}
