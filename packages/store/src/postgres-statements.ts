/** Runs the statements of an operation on a connection, each prepared once under a name of its own. */
import type pg from 'pg';
import type { Answer, Operation, Step, Value } from './operation.ts';
import { columnArrays, withoutZero } from './postgres-arrays.ts';
import type { PostgresOptions } from './postgres-connection.ts';

type Pause = PostgresOptions['pause'];

/**
 * Texts that are prepared at most. Some are made of what people ask lists for, in more ways than there are: those that
 * come later are planned each time, so that neither this process nor the server keeps them for ever.
 */
const MOST = 2_000;

export class Statements {
  private readonly names = new Map<string, { name: string; text: string }>();

  /** Runs an operation to its end within whatever transaction is open. */
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

  /** All are sent before the first is answered; the error that counts is the first, others follow from it. */
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

  /** Statements are prepared once a connection, under a name of their own. */
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
