/** Runs the statements of an operation on a connection; each is prepared once under its own name. */
import type pg from 'pg';
import type { Answer, Operation, Step, Value } from './operation.ts';
import { columnArrays, withoutZero } from './postgres-arrays.ts';
import type { PostgresOptions } from './postgres-connection.ts';

type Pause = PostgresOptions['pause'];

/**
 * Limit of the prepared-statement cache: list filters can produce any number of statements. Further ones are
 * planned each time, so that neither this process nor the server keeps them forever.
 */
const MOST = 2_000;

export class Statements {
  private readonly names = new Map<string, { name: string; text: string }>();

  /** Runs an operation to its end within the open transaction. */
  async drive<T>(client: pg.ClientBase, operation: Operation<T>, pause?: Pause): Promise<T> {
    let next = operation.next();
    while (!next.done) {
      let answer: Answer;
      try {
        answer = await this.answer(client, next.value, pause);
      } catch (error) {
        next = operation.throw(error);
        continue;
      }
      next = operation.next(answer);
    }
    return next.value;
  }

  private async answer(client: pg.ClientBase, step: Step, pause: Pause): Promise<Answer> {
    if (step.kind === 'dialect') return { rows: ['postgres'], changed: 0 };
    if (step.kind === 'asker') return { rows: [undefined], changed: 0 };
    if (step.kind === 'many') return this.answerMany(client, step.steps, pause);
    const text =
      step.kind === 'batch' ? step.postgres : typeof step.text === 'string' ? step.text : step.text.postgres;
    const values = step.kind === 'batch' ? columnArrays(step.types, step.rows) : step.params.map(cleaned);
    if (pause) await pause(text);
    const query: pg.QueryConfig = { ...this.named(text), values };
    const { rows, rowCount } = await client.query(query);
    return { rows, changed: rowCount ?? 0 };
  }

  /** Sends all before the first answer; the first error counts, others follow from it. */
  private async answerMany(client: pg.ClientBase, steps: readonly Step[], pause: Pause): Promise<Answer> {
    const parts: Answer[] = [];
    if (pause) {
      for (const step of steps) parts.push(await this.answer(client, step, pause));
      return { rows: [], changed: 0, parts };
    }
    const settled = await Promise.allSettled(steps.map((step) => this.answer(client, step, pause)));
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      parts.push(result.value);
    }
    return { rows: [], changed: 0, parts };
  }

  /** Statements are prepared once per connection, under their own names. */
  private named(text: string): { name?: string; text: string } {
    const found = this.names.get(text);
    if (found) return found;
    const written = text.replace(/\?(\d+)/g, '$$$1');
    if (this.names.size >= MOST) return { text: written };
    const named = { name: `s${this.names.size}`, text: written };
    this.names.set(text, named);
    return named;
  }
}

function cleaned(value: Value): Value {
  return typeof value === 'string' ? withoutZero(value) : value;
}
