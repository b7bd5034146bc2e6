import { describe, expect, it } from 'vitest';
import { headline } from './headline.ts';

const code = 'exit code 1';

describe('the headline of a failed process', () => {
  it.each([
    ['the last line', 'reading\nconnection refused: warehouse:5432\n', 'connection refused: warehouse:5432'],
    [
      'the last line at ERROR or FATAL',
      '10:00 ERROR first\n10:01 FATAL no space left\n10:02 INFO bye\n',
      '10:01 FATAL no space left',
    ],
    ['a level as a field', '{"level":"error","msg":"refused"}\n{"level":"info","msg":"bye"}\n', 'refused'],
    [
      'the end of a trace of Python',
      'ERROR job failed\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: no rows\n',
      'ValueError: no rows',
    ],
    [
      'the deepest cause of a trace of Java',
      'Exception in thread "main" java.lang.RuntimeException: x\n\tat A.main(A.java:1)\nCaused by: java.net.ConnectException: refused\n\tat B.b(B.java:2)\n\t... 3 more\n',
      'Caused by: java.net.ConnectException: refused',
    ],
    [
      'the error of a trace of JavaScript',
      'Error: no such table\n    at f (file.js:1:2)\n    at g (file.js:3:4)\nNode.js v24.0.0\n',
      'Error: no such table',
    ],
    [
      'a panic of Go',
      'panic: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n',
      'panic: index out of range',
    ],
    [
      'without colours and without lines of the worker',
      '\u001b[31mbad\u001b[0m\n[orrery] 10:00 failed\n',
      'bad',
    ],
  ])('is %s', (_, tail, said) => {
    expect(headline(code, tail)).toBe(`${said} (${code})`);
  });

  it('is the exit code where the log says nothing', () => {
    expect([headline(code, undefined), headline(code, '[orrery] start\n\n')]).toEqual([code, code]);
  });

  it('is never longer than a list can show', () => {
    expect(headline(code, 'x'.repeat(9_000)).length).toBe(500 + ` (${code})`.length);
  });

  it("leaves an error in a task's own words alone", () => {
    expect(headline('GET http://a/ answered 404', 'ERROR other\n')).toBe('GET http://a/ answered 404');
  });

  it('keeps what an exit code means', () => {
    expect(headline('exit code 137 (ended by SIGKILL)', 'working\n')).toBe(
      'working (exit code 137 (ended by SIGKILL))',
    );
  });
});
