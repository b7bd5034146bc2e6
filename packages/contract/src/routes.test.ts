/** What a browser needs of each operation is written from the contract: `npm run contract` writes the file. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operationIds, operationOf } from './index.ts';

it('has the route of every operation, without a schema', async () => {
  const lines = operationIds.map((id) => {
    const { route, headers, bodyTypes } = operationOf(id);
    const parts = [
      `route: '${route}'`,
      ...(headers
        ? [
            `headers: [${Object.keys(headers.shape)
              .map((name) => `'${name}'`)
              .join(', ')}]`,
          ]
        : []),
      ...(bodyTypes ? [`text: '${bodyTypes[0]}'`] : []),
    ];
    return `  ${id}: { ${parts.join(', ')} },\n`;
  });
  const file = `/** Made from the entries by \`npm run contract\`; do not edit. */
import type { OperationId } from '../operation.ts';

/** How an operation is asked for. */
export interface Route {
  readonly route: string;
  /** Parts of the input that travel as headers. */
  readonly headers?: readonly string[];
  /** The content type of a body that is text. */
  readonly text?: string;
}

/** Every operation, for a client that loads no schema. */
export const routes: Readonly<Record<OperationId, Route>> = {
${lines.join('')}};
`;
  await expect(file).toMatchFileSnapshot(join(import.meta.dirname, 'generated', 'routes.ts'));
});
