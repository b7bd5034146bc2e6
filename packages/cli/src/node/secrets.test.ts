import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretReader } from './secrets.ts';

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
    expect(await read('db-password', 'sales')).toBe('of the project');
    expect(await read('db-password', 'another')).toBe('of all');
  });

  it('keeps its lines but for the end of the last', async () => {
    expect(await secretReader({ folder, environment })('lines')).toBe('first\nsecond\n');
  });

  it('that changes is read anew', async () => {
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
    await expect(secretReader({ environment })('shared-too')).rejects.toThrow(
      'looked for ORRERY_SECRET_SHARED_TOO',
    );
  });

  it('that is too long, or no file, is refused', async () => {
    const read = secretReader({ folder, environment });
    await expect(read('huge')).rejects.toThrow('longer than 65536 bytes');
    await expect(read('sales')).rejects.toThrow('secret "sales" cannot be read');
  });

  it.each(['..', '../shared', 'a/b', '', 'ä', '1st'])('%j is no name of one', async (name) => {
    await expect(secretReader({ folder, environment })(name)).rejects.toThrow('is not the name of a secret');
  });
});
