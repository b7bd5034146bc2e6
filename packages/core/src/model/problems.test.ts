/** Every kind of problem, in the exact words a person reads. */
import { describe, expect, it } from 'vitest';
import { formatProblem } from './format.ts';
import type { ProblemCode } from './problem.ts';
import { parseWorkflowFile } from './workflow-file.ts';

const tasks = (...lines: string[]) => `name: w\ntasks:\n${lines.map((line) => `- ${line}\n`).join('')}`;
const withTask = (line: string) => `name: w\n${line}\ntasks: [{name: a, type: shell}]\n`;
const task = (keys: string) => tasks(`{name: a, type: shell, ${keys}}`);
const schedule = (keys: string) => withTask(`schedule: {${keys}}`);

const surroundings = {
  environments: {
    prod: { workerGroups: [] },
    cuda: { workerGroups: ['gpu'] },
    closed: { workerGroups: [], projects: ['sales'] },
  },
  workerGroups: { closed: ['sales', 'billing'], open: [] },
  taskGroups: { default: ['warehouse'] },
  calendars: { default: ['holidays'] },
};

/** For each code, files and all that is wrong with them. */
const cases: Record<ProblemCode, [text: string, ...problems: string[]][]> = {
  'bad-syntax': [
    [
      'name: [w',
      '1:9: cannot be read as YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  ],
  'too-large': [
    ['['.repeat(101), '1:1: nested deeper than the 100 levels accepted'],
    ['---\n1\n'.repeat(1_001), '1:1: has more than 1000 documents; split it'],
    [
      `name: w\nparams: {${Array.from({ length: 10_001 }, (_, k) => `p${k}: x`)}}\ntasks: [1]`,
      '2:1: params: 10001 parameters; at most 10000 are accepted',
    ],
    [`name: w\ntasks: [${'{},'.repeat(100_001)}]`, '2:1: tasks: 100001 tasks; at most 100000 are accepted'],
    [
      Array.from({ length: 1_001 }, (_, k) => `k${k}: 1\n`).join(''),
      '1:1: 1001 keys; at most 1000 are accepted',
    ],
  ],
  'duplicate-key': [[`${task('priority: low')}name: v\n`, '4:1: name: duplicate key "name"; keep one']],
  'wrong-type': [
    ['5', '1:1: expected an object, got the number 5'],
    ['name: w\ntasks: a\n', '2:1: tasks: expected a list, got the text "a"'],
    [tasks('shell'), '3:3: tasks[0]: expected an object, got the text "shell"'],
    [
      tasks('{name: 5, type: shell}'),
      '3:4: tasks[0].name: expected text, got the number 5; put it in quotes',
    ],
    [task('disabled: yes'), '3:26: tasks[0].disabled: expected true or false, got the text "yes"'],
    [task('with: [a]'), '3:26: tasks[0].with: expected an object, got a list'],
    [task('retries: often'), '3:26: tasks[0].retries: expected a number or an object, got the text "often"'],
    [
      task('retries: 1.5'),
      '3:26: tasks[0].retries: expected a whole number or an object, got the number 1.5',
    ],
    [
      task('priority: 1'),
      '3:26: tasks[0].priority: expected one of highest, high, medium, low, lowest, got the number 1',
    ],
    [withTask('params:'), '2:1: params: expected an object, got nothing'],
    [
      withTask('params: {a: [[1]]}'),
      '2:14: params.a[0]: expected text, a number or true or false, got a list',
    ],
    [withTask('schedules: [1]'), '2:13: schedules[0]: expected text or an object, got the number 1'],
  ],
  'missing-key': [
    ['', '1:1: there is no workflow; write at least a name and a task'],
    ['name: w', '1:1: tasks: "tasks" is missing; expected a list'],
    ['tasks: [{name: a, type: shell}]', '1:1: name: "name" is missing; expected text'],
    [tasks('{name: a}'), '3:3: tasks[0].type: "type" is missing; expected text'],
    [
      tasks('{name: a, type: sub-workflow}'),
      '3:3: tasks[0].with.workflow: "workflow" is missing; expected text or an object',
    ],
  ],
  'unknown-key': [
    [task('timout: 5m'), '3:26: tasks[0].timout: unknown key "timout"; did you mean "timeout"?'],
    [
      task('retries: {limit: 1, colour: red}'),
      '3:46: tasks[0].retries.colour: unknown key "colour"; accepted keys are limit, delay, backoff, maxDelay, on, then, after',
    ],
    [withTask('shedule: 0 2 * * *'), '2:1: shedule: unknown key "shedule"; did you mean "schedule"?'],
    [
      task('with: {x: 1}, depends_on: b'),
      '3:40: tasks[0].depends_on: unknown key "depends_on"; accepted keys are name, type, description, needs, with, params, trigger, retries, timeout, queueTimeout, onNoWorker, delay, priority, workerGroup, environment, group, shards, resources, disabled, ignoreFailure, onLostContact',
    ],
  ],
  'bad-value': [
    [
      task('retries: {limit: 3, after: 2}'),
      '3:46: tasks[0].retries.after: "after" needs "then", the workers that may take it from then on',
    ],
    [task('resources: {}'), '3:26: tasks[0].resources: give "cores", "memory" or both'],
    [
      task('resources: {memory: 2 gigs}'),
      '3:38: tasks[0].resources.memory: "2 gigs" is not a size; write a number and a unit, such as 512MB or 2GB',
    ],
    [
      task('timeout: 10 min'),
      '3:26: tasks[0].timeout: "10 min" is not a duration; write a number and a unit, such as 500ms, 10s, 5m, 1h30m or 2d',
    ],
    [
      task('timeout: 10'),
      '3:26: tasks[0].timeout: "10" is not a duration; write a number and a unit, such as 500ms, 10s, 5m, 1h30m or 2d',
    ],
    [task('timeout: 0'), '3:26: tasks[0].timeout: must be longer than 0'],
    [
      task('priority: hihg'),
      '3:26: tasks[0].priority: "hihg" is not one of highest, high, medium, low, lowest; did you mean "high"?',
    ],
    [task('retries: -1'), '3:26: tasks[0].retries: must be at least 0, got -1'],
    [task('retries: 1e6'), '3:26: tasks[0].retries: must be at most 1000, got 1000000'],
    [task('description: ""'), '3:26: tasks[0].description: must not be empty'],
    [
      task('type: backfill').replace('type: shell, ', ''),
      '3:13: tasks[0].type: "backfill" is reserved for the engine; run "orrery backfill" instead',
    ],
    [
      tasks('{name: my task, type: shell}'),
      '3:4: tasks[0].name: "my task" is not a name; use at most 100 letters, digits, "_", "-" and ".", starting with a letter, a digit or "_"',
    ],
    [
      tasks('{name: a, type: sub-workflow, with: {workflow: a/b/c}}'),
      '3:40: tasks[0].with.workflow: "a/b/c" does not name a workflow; write name or project/name',
    ],
    [
      tasks('{name: a, type: dependent, with: {}}'),
      '3:30: tasks[0].with: needs "all" or "any", the list of what must be true',
    ],
    [tasks('{name: a, type: dependent, with: {all: []}}'), '3:37: tasks[0].with.all: must not be empty'],
    [
      tasks(
        '{name: a, type: dependent, with: {all: [{workflow: x, window: today}], any: [{workflow: y, window: today}]}}',
      ),
      '3:30: tasks[0].with: has both "all" and "any"; keep one and nest the other as a group, as in all: [a, {any: [b, c]}]',
    ],
    [
      tasks('{name: a, type: shell}', '{name: b, type: conditions, needs: a, with: {all: [a]}}'),
      '4:41: tasks[1].with: leads to no task; name one in "success" or "failure"',
    ],
    [
      tasks('{name: a, type: dynamic, with: {workflow: x, over: {}}}'),
      '3:48: tasks[0].with.over: must have at least one list',
    ],
    [
      tasks('{name: a, type: dynamic, with: {workflow: x, over: {n: "[1"}}}'),
      '3:55: tasks[0].with.over.n: "[1" is not of type list: use a JSON list such as ["a","b"], or values separated by commas',
    ],
    [
      withTask('params: {1a: x}'),
      '2:10: params.1a: "1a" is not a parameter name; use letters, digits, "_", "." and "-", starting with a letter or "_"',
    ],
    [
      withTask('params: {system.x: 1}'),
      '2:10: params["system.x"]: "system.x" is reserved for built-in parameters or secrets; use a name that does not begin with system., orrery., secret.',
    ],
    [
      withTask('params: {n: {type: integer, options: [1, b]}}'),
      '2:42: params.n.options[1]: "b" is not of type integer: use a whole number up to 9007199254740991 either way (longer ones as string)',
    ],
    [
      schedule('cron: 0 2 * * *, from: 2026-02-30'),
      '2:29: schedule.from: time "2026-02-30" is on no calendar; accepted are 2021-01-31, 2021/01/31 or 20210131, alone or with a time such as 2021-01-31 08:30:00 or 2021-01-31T08:30:00+08:00',
    ],
    [schedule('every: 10ms'), '2:12: schedule.every: must be 1s or longer'],
    [
      schedule('cron: 0 2 * * *, exclude: {dates: [2026-02-30], yearly: [13-01], weekdays: [sat]}'),
      '2:47: schedule.exclude.dates[0]: "2026-02-30" is not a day; write 2026-05-01',
      '2:69: schedule.exclude.yearly[0]: "13-01" is not a day of the year; write 12-25',
      '2:88: schedule.exclude.weekdays[0]: "sat" is not one of sunday, monday, tuesday, wednesday, thursday, friday, saturday; did you mean "saturday"?',
    ],
  ],
  'bad-timezone': [
    [
      withTask('timezone: Asia/Shangai'),
      '2:1: timezone: unknown time zone "Asia/Shangai"; use an IANA name such as Asia/Shanghai, or UTC; did you mean "Asia/Shanghai"?',
    ],
    [
      schedule('cron: 0 2 * * *, timezone: Mars'),
      '2:29: schedule.timezone: unknown time zone "Mars"; use an IANA name such as Asia/Shanghai, or UTC',
    ],
  ],
  'duplicate-name': [
    [
      tasks('{name: a, type: shell}', '{name: a, type: http}'),
      '4:4: tasks[1].name: another task is named "a"; give each task its own name',
    ],
    [
      tasks('{name: a, type: shell}', '{name: b, type: shell, needs: [a, a]}'),
      '4:37: tasks[1].needs[1]: "a" appears twice in "needs"; remove one',
    ],
    [
      withTask('schedules: [0 2 * * *, 0 3 * * *]'),
      '2:24: schedules[1].name: another schedule is named "main"; give each its own name',
    ],
    [
      `${task('priority: low')}---\n${task('priority: low')}`,
      '5:1: name: workflow default/w is defined twice in this file; keep one',
    ],
  ],
  'no-tasks': [
    [
      'name: w\ntasks: []',
      '2:1: tasks: a workflow needs at least one task; add a name and a type under "tasks"',
    ],
  ],
  'unknown-task': [
    [
      tasks('{name: extract, type: shell}', '{name: b, type: shell, needs: [extrct]}'),
      '4:34: tasks[1].needs[0]: there is no task "extrct"; did you mean "extract"?',
    ],
    [task('needs: nothing'), '3:26: tasks[0].needs: there is no task "nothing"'],
  ],
  'self-edge': [[task('needs: a'), '3:26: tasks[0].needs: task "a" needs itself; remove it from "needs"']],
  cycle: [
    [
      tasks(
        '{name: a, type: shell, needs: c}',
        '{name: b, type: shell, needs: a}',
        '{name: c, type: shell, needs: b}',
        '{name: d, type: shell, needs: [c, e]}',
        '{name: e, type: shell, needs: d}',
      ),
      '3:26: tasks[0].needs: tasks need each other in a circle: a -> b -> c -> a; remove one of these needs',
      '6:26: tasks[3].needs: tasks need each other in a circle: d -> e -> d; remove one of these needs',
    ],
  ],
  'cron-or-every': [
    [schedule('name: x'), '2:1: schedule: needs "cron" or "every" to say when it fires'],
    [schedule('cron: 0 2 * * *, every: 1h'), '2:29: schedule.every: has both "cron" and "every"; keep one'],
  ],
  'after-or-webhook': [
    [
      withTask('triggers: [{name: x}]'),
      '2:12: triggers[0]: needs "after" or "webhook" to say what starts a run',
    ],
    [
      withTask('triggers: [{after: b, webhook: TOKEN}]'),
      '2:23: triggers[0].webhook: has both "after" and "webhook"; make it two triggers',
    ],
  ],
  'bad-cron': [
    [
      schedule('cron: 0 2 * *'),
      '2:12: schedule.cron: cron "0 2 * *": 4 fields; accepted are 5 (Unix: minute hour day month weekday) or 6 to 7 (Quartz: second minute hour day month weekday [year])',
    ],
    [
      withTask('schedules: [0 0 2 * * *]'),
      '2:13: schedules[0]: cron "0 0 2 * * *": dayOfWeek "*": exactly one of dayOfMonth and dayOfWeek must be "?" and dayOfMonth is "*"; accepted are 1-7 or SUN-SAT, *, lists a,b, ranges a-b, steps /n, ?, L, nL, n#k',
    ],
  ],
  'never-fires': [
    [withTask('schedule: 0 0 0 30 2 ?'), '2:1: schedule: never fires: no time matches 0 0 0 30 2 ?'],
    [
      schedule('every: 1h, from: 2026-01-02, until: 2026-01-01'),
      '2:41: schedule.until: "until" is before "from"; swap them',
    ],
    [
      schedule('cron: 0 0 1 * *, from: 2026-01-02, until: 2026-01-31'),
      '2:1: schedule: never fires: no time matches all of cron, from, until',
    ],
    [
      schedule('cron: 0 0 25 12 *, exclude: {yearly: [12-25]}'),
      '2:1: schedule: never fires: no time matches all of cron, exclude',
    ],
  ],
  'limit-with-serial': [
    [
      withTask('mode: serial-wait\nlimit: 2'),
      '3:1: limit: mode serial-wait runs one at a time; remove "limit", or use mode parallel',
    ],
    [
      withTask('mode: serial-discard\nonNoRoom: fail'),
      '3:1: onNoRoom: mode serial-discard already decides what happens while another run is open; remove "onNoRoom", or use mode parallel',
    ],
  ],
  'unknown-parameter': [
    [
      withTask('params: {day: 1, x: "${dya}"}'),
      '2:18: params.x: nothing gives parameter "dya" a value; did you mean "day"?',
    ],
    [
      withTask('params: {x: [a, "${colour}"]}'),
      '2:17: params.x[1]: nothing gives parameter "colour" a value; declare it in "params"',
    ],
    [
      withTask('params: {x: {default: "${colour}"}}'),
      '2:14: params.x.default: nothing gives parameter "colour" a value; declare it in "params"',
    ],
    [
      task('params: {x: "${y}"}'),
      '3:35: tasks[0].params.x: nothing gives parameter "y" a value; declare it in "params"',
    ],
    [
      tasks('{name: a, type: shell}', '{name: b, type: shell, needs: a, params: {x: "${system.biz.dat}"}}'),
      '4:45: tasks[1].params.x: there is no built-in parameter "system.biz.dat"; did you mean "system.biz.date"?',
    ],
    [
      schedule('cron: 0 2 * * *, params: {x: "${colour}"}'),
      '2:38: schedule.params.x: nothing gives parameter "colour" a value; declare it in "params"',
    ],
    [
      tasks('{name: a, type: sub-workflow, with: {workflow: x, params: {n: "${y}"}}}'),
      '3:62: tasks[0].with.params.n: nothing gives parameter "y" a value; declare it in "params"',
    ],
    [
      tasks('{name: a, type: dynamic, with: {workflow: x, over: {n: "${y}"}}}'),
      '3:55: tasks[0].with.over.n: nothing gives parameter "y" a value; declare it in "params"',
    ],
    [
      tasks(
        '{name: a, type: switch, with: {cases: [{when: y > 1, to: b}]}}',
        '{name: b, type: shell, needs: a}',
      ),
      '3:43: tasks[0].with.cases[0].when: nothing gives parameter "y" a value; declare it in "params"',
    ],
  ],
  'unknown-environment': [
    [withTask('environment: prd'), '2:1: environment: there is no environment "prd"; did you mean "prod"?'],
    [
      task('environment: staging'),
      '3:26: tasks[0].environment: there is no environment "staging"; make it with "orrery environments set"',
    ],
  ],
  'wrong-project': [
    [
      task('environment: closed'),
      '3:26: tasks[0].environment: environment "closed" is not open to project default',
    ],
    [
      task('workerGroup: closed'),
      '3:26: tasks[0].workerGroup: worker group "closed" is not open to project default',
    ],
    [
      'name: w\nworkerGroup: closed\ntasks: [{name: a, type: shell}]',
      '3:9: tasks[0]: worker group "closed" is not open to project default',
    ],
  ],
  'wrong-worker-group': [
    [
      task('environment: cuda'),
      '3:26: tasks[0].environment: environment "cuda" is for worker group gpu, and task "a" is for default',
    ],
    [
      tasks('{name: a, type: shell, environment: cuda, workerGroup: cpu}'),
      '3:45: tasks[0].workerGroup: environment "cuda" is for worker group gpu, and task "a" is for cpu',
    ],
  ],
  'unknown-task-group': [
    [
      task('group: warehose'),
      '3:26: tasks[0].group: there is no task group "warehose"; did you mean "warehouse"?',
    ],
    [
      task('group: {name: x, priority: 2}'),
      '3:26: tasks[0].group: there is no task group "x"; make it with "orrery groups set"',
    ],
  ],
  'unknown-calendar': [
    [
      withTask('schedule: {cron: 0 9 * * *, calendar: holiday}'),
      '2:29: schedule.calendar: there is no calendar "holiday"; did you mean "holidays"?',
    ],
    [
      withTask('schedules: [{cron: 0 9 * * *, calendar: bank}]'),
      '2:31: schedules[0].calendar: there is no calendar "bank"; make it with "orrery calendars set"',
    ],
  ],
  'bad-secret': [
    [
      task('with: {script: "a ${secret.9b} ${secret.ok}"}'),
      '3:33: tasks[0].with.script: "9b" is not the name of a secret; use at most 100 letters, digits, "_" and "-", starting with a letter or "_"',
    ],
    [
      schedule('cron: 0 2 * * *, params: {x: "${secret.a}"}'),
      '2:38: schedule.params.x: the parameters of a schedule cannot use secret "a"; use it in "with" or "params" of the task that needs it',
    ],
  ],
  'bad-placeholder': [
    [
      task('params: {x: "${day"}'),
      '3:35: tasks[0].params.x: "${" is never closed; add "}", or write "\\${" to keep it as text',
    ],
    [
      task('params: {x: "$[yyyyMMdd"}'),
      '3:35: tasks[0].params.x: "$[" is never closed; add "]", or write "\\$[" to keep it as text',
    ],
  ],
  'parameter-cycle': [
    [
      withTask('params: {a: "${b}", b: "x${c}", c: "${a}"}'),
      '2:10: params.a: parameters refer to each other in a circle: a -> b -> c -> a',
    ],
    [withTask('params: {a: "${a}"}'), '2:10: params.a: parameters refer to each other in a circle: a -> a'],
    [
      task('params: {a: "${b}", b: "${a}"}'),
      '3:35: tasks[0].params.a: parameters refer to each other in a circle: a -> b -> a',
    ],
  ],
  'bad-default': [
    [
      withTask('params: {n: {type: integer, default: many}}'),
      '2:29: params.n.default: "many" is not of type integer: use a whole number up to 9007199254740991 either way (longer ones as string)',
    ],
    [
      withTask('params: {n: {default: c, options: [a, b]}}'),
      '2:14: params.n.default: "c" is not one of the options a, b',
    ],
    [
      withTask('params: {n: {type: list, default: "a,c", options: [a, b]}}'),
      '2:26: params.n.default: "c" is not one of the options a, b',
    ],
    [
      withTask('params: {n: {default: [a]}}'),
      '2:14: params.n.default: the default is a list; add "type: list"',
    ],
  ],
  'not-a-successor': [
    [
      tasks(
        '{name: a, type: shell}',
        '{name: b, type: switch, needs: a, with: {cases: [{when: x, to: c}], default: a}}',
        '{name: c, type: shell, needs: b}',
      ),
      '4:71: tasks[1].with.default: "a" does not follow this task directly; add "b" to the needs of "a"',
    ],
    [
      tasks(
        '{name: a, type: shell}',
        '{name: b, type: conditions, needs: a, with: {all: [a], failure: [d]}}',
        '{name: c, type: shell, needs: a}',
        '{name: d, type: shell, needs: c}',
      ),
      '4:68: tasks[1].with.failure[0]: "d" does not follow this task directly; add "b" to the needs of "d"',
    ],
  ],
  'never-runs': [
    [
      tasks(
        '{name: a, type: shell}',
        '{name: b, type: switch, needs: a, with: {cases: [{when: x, to: c}]}}',
        '{name: c, type: shell, needs: b}',
        '{name: d, type: shell, needs: b}',
        '{name: e, type: shell, needs: b, trigger: all-done}',
      ),
      '6:26: tasks[3].needs: no branch of "b" leads to this task, so it would never run; name it in a branch',
    ],
  ],
  'not-a-predecessor': [
    [
      tasks(
        '{name: a, type: shell}',
        '{name: b, type: shell, needs: a}',
        '{name: c, type: conditions, needs: b, with: {all: [b, {any: [{task: a}]}], success: d}}',
        '{name: d, type: shell, needs: c}',
      ),
      '5:65: tasks[2].with.all[1].any[0].task: "a" does not come directly before this task; add it to "needs"',
    ],
  ],
  'bad-expression': [
    [
      tasks(
        '{name: a, type: shell}',
        '{name: b, type: switch, needs: a, with: {cases: [{when: "x >", to: c}]}}',
        '{name: c, type: shell, needs: b}',
      ),
      '4:53: tasks[1].with.cases[0].when: column 4: the expression ends too early; expected a value: a number, a quoted text, a name, a list or "("',
    ],
  ],
  'unknown-window': [
    [
      tasks('{name: a, type: dependent, with: {all: [{workflow: x, window: todya}]}}'),
      '3:57: tasks[0].with.all[0].window: there is no window "todya"; did you mean "today"?',
    ],
    [
      tasks('{name: a, type: dependent, with: {any: [{all: [{workflow: x, window: "(0,0)"}]}]}}'),
      '3:64: tasks[0].with.any[0].all[0].window: count 0 of a version range must be a whole number from 1',
    ],
  ],
  'bad-shards': [
    [
      task('shards: {count: 2, params: {2: c}}'),
      '3:26: tasks[0].shards: shard 2 does not exist; there are 2, counted from 0',
    ],
    [
      task('shards: {count: 2, params: "0=a,5=b"}'),
      '3:26: tasks[0].shards: item parameters, character 5: item 5 does not exist; there are 2, counted from 0',
    ],
    [
      task('shards: {params: {x: c}}'),
      '3:26: tasks[0].shards: "x" is not a shard number; shards are counted from 0',
    ],
    [
      task('shards: {plan: static}'),
      '3:26: tasks[0].shards: give the number of shards as "count", or parameters such as 0=beijing,1=shanghai',
    ],
    [
      task('shards: "x=A"'),
      '3:26: tasks[0].shards: item parameters, character 1: "x=A" is not an item number, "=" and a parameter, as in 0=beijing,1=shanghai',
    ],
    [task('shards: "10000=A"'), '3:26: tasks[0].shards: at most 10000 shards are accepted, not 10001'],
  ],
  'too-many-elements': [
    [
      tasks('{name: a, type: dynamic, with: {workflow: x, over: {n: [1, 2, 3], m: "a,b"}, maxElements: 5}}'),
      '3:48: tasks[0].with.over: a series of 6 elements is more than the 5 allowed',
    ],
  ],
  'calls-itself': [
    [
      tasks('{name: a, type: sub-workflow, with: {workflow: w}}'),
      '3:40: tasks[0].with.workflow: workflow "w" would start itself endlessly; name another workflow',
    ],
    [
      tasks('{name: a, type: dynamic, with: {workflow: default/w, over: {n: 1}}}'),
      '3:35: tasks[0].with.workflow: workflow "w" would start itself endlessly; name another workflow',
    ],
  ],
  'unknown-type': [
    [
      tasks('{name: a, type: shel}'),
      '3:13: tasks[0].type: task "a" has the unknown type "shel"; did you mean "shell"?',
    ],
  ],
  'not-for-logic': [
    [
      tasks('{name: a, type: sub-workflow, with: {workflow: x}, retries: 3}'),
      '3:54: tasks[0].retries: a sub-workflow task runs in the master, without worker and retries; remove "retries"',
    ],
  ],
};

describe.each(Object.entries(cases))('%s', (code, files) => {
  it.each(files)('%s', (text, ...expected) => {
    const taskTypes = code === 'unknown-type' ? [{ name: 'shell' }] : undefined;
    const { workflows, problems } = parseWorkflowFile(text, { taskTypes, surroundings });
    expect(problems.map((problem) => formatProblem(problem))).toEqual(expected);
    expect(problems.map((problem) => problem.code)).toContain(code);
    if (code !== 'duplicate-name') expect(workflows).toEqual([]);
  });
});

it('reports all that is wrong at once, in the order of the text', () => {
  const text = `
name: my workflow
tasks:
  - name: a
    type: switch
    needs: [d]
    timeout: soon
    with:
      cases: [{when: "1 +", to: c}]
  - {name: b, needs: [a, x]}
mode: serial
`;
  expect(
    parseWorkflowFile(text, { file: 'w.yaml' }).problems.map(
      ({ code, line, file }) => `${file}:${line} ${code}`,
    ),
  ).toEqual([
    'w.yaml:2 bad-value',
    'w.yaml:6 unknown-task',
    'w.yaml:7 bad-value',
    'w.yaml:9 bad-expression',
    'w.yaml:9 unknown-task',
    'w.yaml:10 missing-key',
    'w.yaml:10 unknown-task',
    'w.yaml:11 bad-value',
  ]);
});
