import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  formatQuery,
  listOf,
  namesField,
  numberField,
  oneOf,
  parseQuery,
  readSearch,
  textField,
  timeField,
} from './search-fields.ts';

const fields = {
  state: listOf(['failed', 'stopped']),
  view: oneOf(['graph', 'table']),
  q: textField(5),
  attempt: numberField(1, 10),
  from: timeField,
};
const read = (query: string) => readSearch(fields, parseQuery(query));

it('reads what fits', () => {
  expect(read('?state=failed,stopped&view=graph&q=abc&attempt=3&from=-24h')).toEqual({
    search: { state: ['failed', 'stopped'], view: 'graph', q: 'abc', attempt: 3, from: '-24h' },
    dropped: [],
  });
  expect(read('?from=2026-03-01T08:00:00Z').dropped).toEqual([]);
  expect(read('?state=failed&state=stopped').search).toEqual({ state: ['failed', 'stopped'] });
});

it('drops what does not fit, by name', () => {
  expect(
    read('?state=failed,gone&view=Graph&q=toolong&attempt=0&from=soon&constructor=1&x=1&attempt=1e1'),
  ).toEqual({
    search: {},
    dropped: ['state', 'view', 'q', 'attempt', 'from', 'constructor', 'x'],
  });
});

it('takes any name for a name, also those that objects have a meaning for', () => {
  expect(Object.entries(parseQuery('?__proto__=1&constructor=2&__proto__=3'))).toEqual([
    ['__proto__', '1,3'],
    ['constructor', '2'],
  ]);
  expect(read('?__proto__=1')).toEqual({ search: {}, dropped: ['__proto__'] });
});

it('is written so that people can read it, and read back the same', () => {
  expect(formatQuery({ workflow: 'etl/daily', from: '-24h', at: '12:00', none: undefined, empty: '' })).toBe(
    '?workflow=etl/daily&from=-24h&at=12:00',
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })), (search) => {
      expect(parseQuery(formatQuery(search))).toEqual({ ...search });
    }),
  );
});

it('reads and writes several names, and none as nothing', () => {
  expect(namesField.read('etl/a,b')).toEqual(['etl/a', 'b']);
  expect(namesField.read(',')).toBeUndefined();
  expect(namesField.write(['etl/a', 'b'])).toBe('etl/a,b');
});
