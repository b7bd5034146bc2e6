/** The operations as a table of the reference: what each does, and what it takes. */
import { type Operation, operationIds, operationOf } from '@orrery/contract';
import { z } from 'zod';

/** The table in Markdown. */
export function routeTable(): string {
  const rows = operationIds.map((id) => {
    const { route, summary, ...schema } = operationOf(id);
    return `| \`${route}\` | ${[summary, ...inputsOf(schema)].join('; ')} |\n`;
  });
  return `| route | does, and takes |\n|---|---|\n${rows.join('')}`;
}

function inputsOf({ query, body, bodyTypes }: Pick<Operation, 'query' | 'body' | 'bodyTypes'>): string[] {
  const inputs: string[] = [];
  if (query)
    inputs.push(
      keysOf(query)
        .map((key) => `\`${key}\``)
        .join(', '),
    );
  if (body instanceof z.ZodObject && !bodyTypes)
    inputs.push(
      `\`{${keysOf(body)
        .map((key) => `"${key}"`)
        .join(', ')}}\``,
    );
  return inputs;
}

function keysOf({ shape }: z.ZodObject): string[] {
  return Object.keys(shape);
}
