import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretReader, secretVariable } from './secrets.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-secrets-'));
  mkdirSync(join(folder, 'sales'));
  writeFileSync(join(folder, 'shared'), 'from the folder\n');
  writeFileSync(join(folder, 'sales', 'shared'), 'of sales\r\n');
  writeFileSync(join(folder, 'lines'), 'first\nsecond\n\n');
  writeFileSync(join(folder, 'empty'), '\n');
  writeFileSync(join(folder, 'huge'), 'x'.repeat(65_537));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = {
  ORRERY_SECRET_SHARED: 'from the environment',
  ORRERY_SECRET_DB_PASSWORD: 'of all',
  ORRERY_SECRET_SALES__DB_PASSWORD: 'of the project',
};

describe('a secret', () => {
  it('of the project counts more than a shared one, and a file more than a variable', async () => {
    const read = secretReader({ folder, environment });
    expect(await read('shared')).toBe('from the folder');
    expect(await read('shared', 'sales')).toBe('of sales');
    expect(await read('shared', 'another')).toBe('from the folder');
    expect(await read('db_password', 'sales')).toBe('of the project');
    expect(await read('db_password', 'another')).toBe('of all');
  });

  it.each([
    ['sales__db_password', 'another'],
    ['sales__db_password', undefined],
    ['db-password', 'sales'],
    ['DB_PASSWORD', 'sales'],
    ['db_password_', 'sales'],
    ['_db_password', undefined],
  ])('%j of project %j cannot be read from the variable of another', async (name, project) => {
    await expect(secretReader({ environment })(name, project)).rejects.toThrow(
      `there is no secret "${name}"; "${name}" cannot stand in the name of a variable: use a file in the secrets folder`,
    );
  });

  it.each(['Sales', 'SALES', 'sales-', 'sales_', 'vertrieb-süd'])(
    'of project %j cannot be read from a variable, a shared one can',
    async (project) => {
      const read = secretReader({ environment });
      expect(await read('db_password', project)).toBe('of all');
      await expect(read('token', project)).rejects.toThrow(
        `there is no secret "token"; looked for ORRERY_SECRET_TOKEN; "${project}" cannot stand in the name of a variable`,
      );
    },
  );

  it('shares its variable with no other', () => {
    // Few signs, so that near misses are common.
    const part = fc.stringMatching(/^[aAß_.-]{1,4}$/);
    const place = fc.tuple(part, fc.option(part, { nil: undefined }));
    type Place = [name: string, project: string | undefined];
    const examples: [Place, Place][] = [
      [
        ['db_password', 'sales'],
        ['sales__db_password', undefined],
      ],
      [
        ['a-b', undefined],
        ['a_b', undefined],
      ],
      [
        ['A_B', 'p'],
        ['a_b', 'p'],
      ],
      [
        ['x', 'a-b'],
        ['x', 'a_b'],
      ],
      [
        ['_b', 'a'],
        ['b', 'a_'],
      ],
    ];
    const apart = fc.property(place, place, (one, other) => {
      const variable = secretVariable(...one);
      if (variable !== undefined && variable === secretVariable(...other)) expect(one).toEqual(other);
    });
    fc.assert(apart, { numRuns: 5_000, examples });
  });

  it('keeps its lines but for the end of the last', async () => {
    expect(await secretReader({ folder, environment })('lines')).toBe('first\nsecond\n');
  });

  it('that changes is read again', async () => {
    const read = secretReader({ folder, environment });
    writeFileSync(join(folder, 'turning'), 'before');
    expect(await read('turning')).toBe('before');
    writeFileSync(join(folder, 'turning'), 'after');
    expect(await read('turning')).toBe('after');
  });

  it('that is missing or empty is refused with its name and the places looked at', async () => {
    const read = secretReader({ folder, environment });
    await expect(read('token', 'sales')).rejects.toThrow(
      `there is no secret "token"; looked for ${join(folder, 'sales', 'token')}, ORRERY_SECRET_SALES__TOKEN, ${join(folder, 'token')}, ORRERY_SECRET_TOKEN`,
    );
    await expect(read('empty')).rejects.toThrow('there is no secret "empty"');
    await expect(secretReader({ environment })('shared_too')).rejects.toThrow(
      /looked for ORRERY_SECRET_SHARED_TOO$/,
    );
  });

  it('that is too long is refused', async () => {
    await expect(secretReader({ folder, environment })('huge')).rejects.toThrow('longer than 65536 bytes');
  });

  it('may bear the name of a project: the folder of that project is not taken for it', async () => {
    await expect(secretReader({ folder, environment })('sales')).rejects.toThrow(
      'there is no secret "sales"',
    );
    const read = secretReader({ folder, environment: { ORRERY_SECRET_SALES: 'of all' } });
    expect(await read('sales', 'sales')).toBe('of all');
  });

  it.each(['..', '../shared', 'a/b', '', 'ä', '1st'])('%j is no name of one', async (name) => {
    await expect(secretReader({ folder, environment })(name)).rejects.toThrow('is not the name of a secret');
  });

  it.each(['..', '.', '../sales', 'a/../sales', '/sales'])('%j is no name of a project', async (project) => {
    const read = secretReader({ folder: join(folder, 'sales'), environment });
    await expect(read('shared', project)).rejects.toThrow('is not the name of a project');
  });
});
