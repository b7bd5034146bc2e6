/** What programs really print when they fail, and the line that a person would quote. */
import { expect, it } from 'vitest';
import { headline } from './headline.ts';

const OUTPUTS: Record<string, readonly [output: string, headline: string]> = {
  'Python: a chain of exceptions': [
    `Traceback (most recent call last):
  File "a.py", line 3, in f
    {}['x']
    ~~^^^^^
KeyError: 'x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "a.py", line 6, in <module>
    f()
RuntimeError: no rows in orders`,
    'RuntimeError: no rows in orders',
  ],
  'Python: an exception without a message': [
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyboardInterrupt',
    'KeyboardInterrupt',
  ],
  'Python: a group of exceptions': [
    `  + Exception Group Traceback (most recent call last):
  |   File "g.py", line 1, in <module>
  |     raise ExceptionGroup("two failed", [ValueError("bad a"), TypeError("bad b")])
  | ExceptionGroup: two failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: bad a
    +---------------- 2 ----------------
    | TypeError: bad b
    +------------------------------------`,
    'TypeError: bad b',
  ],
  'Python: a syntax error': [
    `  File "s.py", line 1
    def f(
         ^
SyntaxError: '(' was never closed`,
    "SyntaxError: '(' was never closed",
  ],
  'Python: no such file': [
    "python3: can't open file '/x/nofile.py': [Errno 2] No such file or directory",
    "python3: can't open file '/x/nofile.py': [Errno 2] No such file or directory",
  ],
  'Python: logging, then more': [
    'INFO:root:begin\nERROR:root:cannot reach warehouse\nINFO:root:done',
    'ERROR:root:cannot reach warehouse',
  ],
  'Python: bad arguments': [
    'usage: load.py [-h] --n N\nload.py: error: the following arguments are required: --n',
    'load.py: error: the following arguments are required: --n',
  ],
  'Python: unittest': [
    `F
======================================================================
FAIL: test_a (__main__.T.test_a)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "t.py", line 3, in test_a
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 1 test in 0.000s

FAILED (failures=1)`,
    'AssertionError: 1 != 2',
  ],
  'Python: pytest': [
    `    def test_a():
>       assert 1 == 2
E       assert 1 == 2

test_x.py:2: AssertionError
=========================== short test summary info ============================
FAILED test_x.py::test_a - assert 1 == 2
============================== 1 failed in 0.02s ===============================`,
    'E       assert 1 == 2',
  ],
  pip: [
    'Looking in links: /opt/wheels\nERROR: Could not find a version (from versions: none)\nERROR: No matching distribution found for nosuchpackage',
    'ERROR: No matching distribution found for nosuchpackage',
  ],
  'Node: an uncaught error with two lines': [
    `/x/a.js:1
throw new Error('no such table\\n  detail: orders')
^

Error: no such table
  detail: orders
    at Object.<anonymous> (/x/a.js:1:7)
    at node:internal/main/run_main_module:33:47

Node.js v24.21.0`,
    'Error: no such table',
  ],
  'Node: a thrown text': [
    "\n/x/b.js:1\nthrow 'oops'\n^\noops\n(Use `node --trace-uncaught ...` to show where the exception was thrown)\n\nNode.js v24.21.0",
    'oops',
  ],
  'Node: an unhandled error event': [
    `node:events:505
    throw er; // Unhandled 'error' event
    ^

Error: connect ECONNREFUSED 127.0.0.1:1
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:2021:16)
Emitted 'error' event on ClientRequest instance at:
    at emitErrorEvent (node:_http_client:114:11)
    at process.processTicksAndRejections (node:internal/process/task_queues:90:21) {
  errno: -111,
  code: 'ECONNREFUSED',
  syscall: 'connect',
  address: '127.0.0.1',
  port: 1
}

Node.js v24.21.0`,
    'Error: connect ECONNREFUSED 127.0.0.1:1',
  ],
  'Node: a cause': [
    `[TypeError: fetch failed] {
  [cause]: Error: bad port
      at makeNetworkError (node:internal/deps/undici/undici:11841:35)
      at async node:internal/modules/esm/loader:647:26
}

Node.js v24.21.0`,
    '[cause]: Error: bad port',
  ],
  'Node: a module that is missing': [
    `node:internal/modules/cjs/loader:1568
  throw err;
  ^

Error: Cannot find module 'nomod'
Require stack:
- /x/f.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1564:15)
    at Module._compile (node:internal/modules/cjs/loader:1929:14) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/x/f.js' ]
}

Node.js v24.21.0`,
    "Error: Cannot find module 'nomod'",
  ],
  'Node: an assertion': [
    `node:assert:152
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: 1 == 2
    at Object.<anonymous> (/x/j.js:1:19) {
  generatedMessage: true,
  operator: '==',
}

Node.js v24.21.0`,
    'AssertionError [ERR_ASSERTION]: 1 == 2',
  ],
  'Node: pino': [
    '{"level":30,"msg":"begin"}\n{"level":50,"time":1,"msg":"connection refused: warehouse:5432"}\n{"level":30,"msg":"bye"}',
    'connection refused: warehouse:5432',
  ],
  'npm: a script that is missing': [
    'npm error Missing script: "nope"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run\nnpm error A complete log of this run can be found in: /x/debug-0.log',
    'npm error Missing script: "nope"',
  ],
  'npm: a file that is missing': [
    `npm error code ENOENT
npm error syscall open
npm error path /x/package.json
npm error errno -2
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/x/package.json'
npm error enoent This is related to npm not being able to find a file.
npm error enoent
npm error A complete log of this run can be found in: /x/debug-0.log`,
    "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/x/package.json'",
  ],
  'Java: a cause': [
    `Exception in thread "main" java.lang.RuntimeException: load failed
	at A.main(A.java:1)
Caused by: java.net.ConnectException: Connection refused
	at java.base/sun.nio.ch.Net.connect0(Native Method)
	at A.main(A.java:1)
	... 6 more`,
    'Caused by: java.net.ConnectException: Connection refused',
  ],
  'Java: something suppressed': [
    `Error: org.apache.hive.service.cli.HiveSQLException: [TABLE_OR_VIEW_NOT_FOUND] The table or view nowhere cannot be found
	at A.run(A.scala:44)
	at B.call(B.scala:79)
	Suppressed: org.apache.spark.util.Utils$OriginalTryStackTraceException: Full stacktrace of original caller
		at A.run(A.scala:44)
		... 41 more`,
    'Error: org.apache.hive.service.cli.HiveSQLException: [TABLE_OR_VIEW_NOT_FOUND] The table or view nowhere cannot be found',
  ],
  'Java: a log with a trace, then more': [
    `10:00:00,001 INFO  main begin
10:00:01,002 ERROR main load failed
java.lang.IllegalStateException: no rows
	at A.main(A.java:1)
10:00:01,003 INFO  main bye`,
    'java.lang.IllegalStateException: no rows',
  ],
  'Java: no such class': [
    'Error: Could not find or load main class Nope\nCaused by: java.lang.ClassNotFoundException: Nope',
    'Caused by: java.lang.ClassNotFoundException: Nope',
  ],
  javac: [
    'B.java:1: error: incompatible types: String cannot be converted to int\nclass B { int x = "a"; }\n                  ^\n1 error',
    'B.java:1: error: incompatible types: String cannot be converted to int',
  ],
  maven: [
    `[ERROR] Failed to execute goal compile on project x: Compilation failure
[ERROR] -> [Help 1]
[ERROR]
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] Re-run Maven using the -X switch to enable full debug logging.`,
    '[ERROR] Failed to execute goal compile on project x: Compilation failure',
  ],
  'psql: no server': [
    'psql: error: connection to server at "127.0.0.1", port 1 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?',
    'psql: error: connection to server at "127.0.0.1", port 1 failed: Connection refused',
  ],
  'psql: a statement': [
    'ERROR:  relation "nope" does not exist\nLINE 1: select * from nope\n                      ^',
    'ERROR:  relation "nope" does not exist',
  ],
  'psql: a file': [
    ' ?column? \n----------\n        1\n(1 row)\n\npsql:q.sql:1: ERROR:  relation "nope" does not exist\nLINE 1: insert into nope values(1);\n                    ^',
    'psql:q.sql:1: ERROR:  relation "nope" does not exist',
  ],
  'sqlite3, then an answer': [
    'Error: in prepare, no such table: nope\nrolled back',
    'Error: in prepare, no such table: nope',
  ],
  'curl with its progress': [
    '  % Total    % Received % Xferd  Average Speed\n  0     0    0     0    0     0      0      0 --:--:--     0\r  0     0    0     0    0     0      0      0 --:--:--     0curl: (6) Could not resolve host: warehouse',
    'curl: (6) Could not resolve host: warehouse',
  ],
  'curl, then output of its script': [
    'curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Could not connect to server\ncleaning up\nbye',
    'curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Could not connect to server',
  ],
  'bash: set -e': [
    'start\nx.sh: line 3: cd: /nowhere: No such file or directory',
    'x.sh: line 3: cd: /nowhere: No such file or directory',
  ],
  'bash: set -e with a trap that speaks last': [
    "start\ncp: cannot stat '/nowhere/a': No such file or directory\ncleaning up\nbye",
    "cp: cannot stat '/nowhere/a': No such file or directory",
  ],
  'bash: set -x and a command that fails silently': [
    '+ echo start\nstart\n+ test -f /nowhere/x',
    '+ test -f /nowhere/x',
  ],
  'bash: set -x and a trap': [
    "+ cp /nowhere/failed /tmp\ncp: cannot stat '/nowhere/failed': No such file or directory\n+ echo 'nothing failed'\nover",
    "cp: cannot stat '/nowhere/failed': No such file or directory",
  ],
  'bash: an unset variable': ['z.sh: line 2: nope: unbound variable', 'z.sh: line 2: nope: unbound variable'],
  'bash: bad syntax': [
    "v.sh: line 1: syntax error near unexpected token `then'\nv.sh: line 1: `if then'",
    "v.sh: line 1: syntax error near unexpected token `then'",
  ],
  'sh: no such command, then more': [
    'w.sh: 1: nosuchcmd: not found\ngoing home',
    'w.sh: 1: nosuchcmd: not found',
  ],
  'sh: a signal': [
    'x.sh: line 1: 10188 Segmentation fault      ./load',
    'x.sh: line 1: 10188 Segmentation fault      ./load',
  ],
  gcc: [
    `m.c: In function ‘main’:
m.c:1:20: error: ‘x’ undeclared (first use in this function)
    1 | int main(){ return x; }
      |                    ^
m.c:1:20: note: each undeclared identifier is reported only once for each function it appears in
make: *** [Makefile:2: all] Error 1`,
    'm.c:1:20: error: ‘x’ undeclared (first use in this function)',
  ],
  'gcc: the linker': [
    "/usr/bin/ld: /tmp/cc7.o: in function `main':\nl.c:(.text+0xa): undefined reference to `f'\ncollect2: error: ld returned 1 exit status",
    "l.c:(.text+0xa): undefined reference to `f'",
  ],
  'make alone': ['false\nmake: *** [Makefile:2: all] Error 1', 'make: *** [Makefile:2: all] Error 1'],
  tsc: [
    "t.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n\nFound 1 error in t.ts:1",
    "t.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  rustc: [
    `error[E0308]: mismatched types
 --> q.rs:1:25
  |
1 | fn main(){ let x: i32 = "a"; }
  |                   ---   ^^^ expected \`i32\`, found \`&str\`

error: aborting due to 1 previous error

For more information about this error, try \`rustc --explain E0308\`.`,
    'error[E0308]: mismatched types',
  ],
  'Rust: a panic': [
    "\nthread 'main' (10116) panicked at p.rs:1:39:\nindex out of bounds: the len is 0 but the index is 3\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    'index out of bounds: the len is 0 but the index is 3',
  ],
  'Rust: a panic with frames': [
    `thread 'main' (10116) panicked at p.rs:1:39:
index out of bounds: the len is 0 but the index is 3
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616/library/std/src/panicking.rs:689:5
   5: p::main
   6: core::ops::function::FnOnce::call_once
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
    'index out of bounds: the len is 0 but the index is 3',
  ],
  'Go: a panic': [
    'panic: runtime error: index out of range [3] with length 0\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/x.go:3 +0x1d\nexit status 2',
    'panic: runtime error: index out of range [3] with length 0',
  ],
  'Go: log.Fatal': [
    '2026/11/18 11:41:18 cannot reach warehouse\nexit status 1',
    '2026/11/18 11:41:18 cannot reach warehouse',
  ],
  'Go: the compiler': ['# command-line-arguments\n./y.go:2:14: undefined: x', './y.go:2:14: undefined: x'],
  Ruby: [
    "a.rb:1:in 'load': no rows (RuntimeError)\n\tfrom a.rb:3:in '<main>'",
    "a.rb:1:in 'load': no rows (RuntimeError)",
  ],
  PHP: [
    'PHP Fatal error:  Uncaught Exception: no rows in a.php:3\nStack trace:\n#0 {main}\n  thrown in a.php on line 3',
    'PHP Fatal error:  Uncaught Exception: no rows in a.php:3',
  ],
  Perl: [
    'cannot open: No such file or directory at load.pl line 1.',
    'cannot open: No such file or directory at load.pl line 1.',
  ],
  git: [
    "Cloning into 'x'...\nfatal: repository '/nowhere/x' does not exist",
    "fatal: repository '/nowhere/x' does not exist",
  ],
  tar: [
    'tar: /nowhere.tar: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now',
    'tar: /nowhere.tar: Cannot open: No such file or directory',
  ],
  'a bad option': [
    "ls: unrecognized option '--bad'\nTry 'ls --help' for more information.",
    "ls: unrecognized option '--bad'",
  ],
  apt: [
    'Reading state information...\nE: Unable to locate package nosuchpkg',
    'E: Unable to locate package nosuchpkg',
  ],
  docker: [
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
  ],
  ssh: [
    'ssh: connect to host 127.0.0.1 port 1: Connection refused\nwill be tried tomorrow',
    'ssh: connect to host 127.0.0.1 port 1: Connection refused',
  ],
  'counts of nothing, and a check of the author': [
    'load: 12 rows, 0 errors, failed=0\nwarning: failed to load the optional plugin\nexpected 14 rows, got 12',
    'expected 14 rows, got 12',
  ],
  'a failure long before the end': [
    `retry 1 failed\n${'row\n'.repeat(40)}expected 14 rows, got 12`,
    'expected 14 rows, got 12',
  ],
};

it.each(Object.entries(OUTPUTS))('%s', (_, [output, expected]) => {
  expect(headline('exit code 1', `${output}\n`)).toBe(`${expected} (exit code 1)`);
});
