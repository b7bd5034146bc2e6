import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zone } from '../time/zone.ts';
import { bindSql, type SqlExpansion, splitSql } from './sql.ts';
import type { JsonValue } from './types.ts';

const values: Record<string, JsonValue> = {
  id: 7,
  name: "x'; drop table t; --",
  list: [1, 'two', null],
  none: [],
  object: { a: 1 },
  days: 2,
};

function bind(sql: string, more: Partial<SqlExpansion> = {}) {
  return bindSql(sql, {
    value: (name) => values[name],
    businessTime: Date.parse('2026-11-15T07:08:09Z'),
    zone: zone('UTC'),
    ...more,
  });
}

describe('bind markers', () => {
  it('numbers them for PostgreSQL', () => {
    expect(bind("select ${id}, '${name}' where x in (${list})", { markers: 'numbered' })).toEqual({
      text: 'select $1, $2 where x in ($3,$4,$5)',
      values: [7, "x'; drop table t; --", 1, 'two', null],
    });
  });

  it('binds an object as JSON', () => {
    expect(bind('select ${object}').values).toEqual(['{"a":1}']);
  });

  it.each([
    "select 'it''s ?' from t",
    'select 1 -- ${id}\n, 2',
    "select /* '${id} */ 1",
    'select `a?`, "b ""?""" from t',
    "do $body$ begin raise 'x'; end $body$",
    "select 'open",
    'select /* open',
    'select \\${id}',
  ])('leaves %s as it is', (sql) => {
    expect(bind(sql)).toEqual({ text: sql, values: [] });
  });

  it('prints time placeholders in place, also in quotes', () => {
    expect(bind("select '$[yyyy-MM-dd-${days}]', $[yyyyMMdd] where id = ${id}")).toEqual({
      text: "select '2026-11-13', 20261115 where id = ?",
      values: [7],
    });
  });

  it('prints a time placeholder that holds quotes of its own', () => {
    expect(bind("select '$[yyyy-MM-dd'T'HH]'").text).toBe("select '2026-11-15T07'");
  });

  it('lets only a whole number into a time placeholder', () => {
    const value = () => "'''; drop table t; --'";
    expect(() => bind('select $[yyyyMMdd${days}]', { value })).toThrow(
      'parameter "days" inside a time placeholder of SQL must be a whole number',
    );
  });

  it('refuses a reference inside a longer quoted text, with the way out', () => {
    expect(() => bind("select * from t where x like '%${name}%'", { at: 'task "q"' })).toThrow(
      /^task "q": \$\{name\} is inside the quoted text '%\$\{name\}%'.*concat\('%', \$\{name\}, '%'\)$/,
    );
    expect(() => bind('do $$ x ${id} $$')).toThrow('where no value can be bound');
    expect(() => bind('select `${name}` from t')).toThrow('where no value can be bound');
  });

  it('refuses unknown names and empty lists', () => {
    expect(() => bind('select ${nope}')).toThrow('unknown parameter "nope"');
    expect(() => bind('select 1 where x in (${none})')).toThrow('list parameter "none" is empty');
  });

  it('never lets a value into the statement', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const bound = bind("select ${a}, '${b}'", { value: (name) => (name === 'a' ? a : b) });
        expect(bound).toEqual({ text: 'select ?, ?', values: [a, b] });
      }),
    );
  });
});

describe('a list', () => {
  it('is asked for only where IN opens its parentheses', () => {
    const asked: boolean[] = [];
    const value = (_: string, inList: boolean) => {
      asked.push(inList);
      return 1;
    };
    bind("select ${a} where x in (${b}) or y NOT IN ( '${c}') or f(${d}) or begin (${e})", { value });
    expect(asked).toEqual([false, true, true, false, false]);
  });
});

describe('a script', () => {
  it('is cut at semicolons that end a statement, with the line each begins on', () => {
    const script = "a 'x;y';\n-- b; c\nd /* ; */;\n\n  $$ e; $$;; -- only a comment\n";
    expect(splitSql(script)).toEqual([
      { sql: "a 'x;y'", line: 1 },
      { sql: '-- b; c\nd /* ; */', line: 2 },
      { sql: '$$ e; $$', line: 5 },
    ]);
  });

  it('loses nothing but semicolons, spaces and comments', () => {
    const part = fc.constantFrom('a', ';', "'", "';'", '\n', ' ', '--', '/*', '*/', '"', '$$');
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join('')),
        (script) => {
          const letters = (text: string) => text.replace(/--.*$|\/\*.*?(\*\/|$)/gms, '').replace(/[^a]/g, '');
          const kept = splitSql(script).map(({ sql }) => sql);
          expect(kept.join('').replace(/[^a]/g, '').length).toBeGreaterThanOrEqual(0);
          for (const sql of kept) expect(script).toContain(sql);
          if (!/['"$]/.test(script)) expect(letters(kept.join('\n'))).toBe(letters(script));
        },
      ),
    );
  });
});
