import { describe, expect, it } from 'vitest';
import { fieldsOf, settingsOf, typedOf } from './schema-form.ts';

const schema = {
  type: 'object',
  properties: {
    host: { type: 'string', description: 'Name of the server.' },
    port: { type: 'integer', default: 5432 },
    password: { type: 'string', format: 'secret' },
    tls: { type: 'string', enum: ['off', 'on'], default: 'off' },
    readOnly: { type: 'boolean', default: false },
  },
  required: ['host', 'port'],
};

describe('a form made from a schema', () => {
  it('has a field for each setting; one with a default need not be filled in', () => {
    const shown = fieldsOf(schema).map(({ name, kind, required, placeholder }) => [
      name,
      kind,
      required,
      placeholder,
    ]);
    expect(shown).toEqual([
      ['host', 'text', true, undefined],
      ['port', 'number', false, '5432'],
      ['password', 'text', false, '${secret.NAME}'],
      ['tls', 'select', false, 'off'],
      ['readOnly', 'check', false, 'false'],
    ]);
  });

  it('gives what was typed by its type, leaves out what is empty, and keeps what does not fit', () => {
    const typed = { host: 'db', port: '1', password: '', tls: '', readOnly: 'true' };
    expect(settingsOf(schema, typed)).toEqual({ host: 'db', port: 1, readOnly: true });
    expect(settingsOf(schema, { host: 'db', port: 'x' })).toEqual({ host: 'db', port: 'x', readOnly: false });
    expect(typedOf({ host: 'db', port: 1, readOnly: false })).toEqual({
      host: 'db',
      port: '1',
      readOnly: '',
    });
  });
});
