import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeDuration } from './duration.ts';
import { parseDuration } from './index.ts';
import type { WorkflowFile } from './schema/workflow.ts';
import type { Workflow } from './types.ts';
import { parseWorkflow } from './validate.ts';
import { parseWorkflowFile } from './workflow-file.ts';
import { writeWorkflow } from './write-workflow.ts';

const formats = ['yaml', 'json'] as const;

function expectSame(workflow: Workflow): void {
  for (const format of formats) {
    const text = writeWorkflow(workflow, format);
    const { workflows, problems } = parseWorkflowFile(text);
    expect(problems, text).toEqual([]);
    expect(workflows, text).toEqual([workflow]);
  }
}

const page = readFileSync(new URL('../../../../docs/reference/workflow-file.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text);

describe('a workflow that is written as a file', () => {
  it.each(examples)('reads back the same: example of the reference\n%s', (text) => {
    for (const workflow of parseWorkflowFile(text).workflows) expectSame(workflow);
  });

  it('leaves out what is usual, and uses the short forms', () => {
    const { workflow } = parseWorkflow({
      name: 'w',
      params: { day: '007', days: { type: 'list' } },
      tasks: [
        {
          name: 'a',
          type: 'shell',
          with: { script: 'echo 1\necho 2\n' },
          retries: { limit: 2 },
          timeout: '90s',
        },
        { name: 'b', type: 'shell', needs: 'a', shards: 3 },
      ],
    });
    expect(writeWorkflow(workflow as Workflow, 'yaml')).toBe(`name: w
params:
  day: "007"
  days:
    type: list
tasks:
  - name: a
    type: shell
    with:
      script: |
        echo 1
        echo 2
    retries: 2
    timeout: 1m30s
  - name: b
    type: shell
    needs:
      - a
    shards: 3
`);
  });

  it('reads back the same whatever it says', () => {
    let tried = 0;
    fc.assert(
      fc.property(files, (file) => {
        const { workflow, problems } = parseWorkflow(file);
        expect(problems).toEqual([]);
        if (!workflow) return;
        tried++;
        expectSame(workflow);
      }),
      { numRuns: 150 },
    );
    expect(tried).toBeGreaterThan(0);
  });

  it('writes durations that read back the same', () => {
    fc.assert(fc.property(fc.nat(10 ** 10), (ms) => parseDuration(writeDuration(ms)) === ms));
  });
});

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/);
const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((one) => !one.includes('$'));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const duration = fc.integer({ min: 1, max: 10 ** 9 }).map((ms) => `${ms}ms`);
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const params = fc.dictionary(word, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), { maxKeys: 3 });
const timeout = fc.oneof(
  duration,
  fc.record({ after: duration, action: fc.constantFrom('warn', 'fail', 'both') }),
);
const priority = fc.constantFrom('highest', 'high', 'medium', 'low', 'lowest');
const reference = fc.oneof(
  word,
  fc.tuple(word, word).map((parts) => `x${parts.join('/y')}`),
);

const schedule = fc.record({
  cron: fc.constantFrom('0 0 12 * * ?', '*/5 * * * *'),
  timezone: optional(fc.constantFrom('UTC', 'Asia/Shanghai')),
  from: optional(fc.constantFrom('2026-01-31', '2026-01-31 08:00:00', '2026-01-31T08:00:00.123Z')),
  until: optional(fc.constantFrom('2027-01-31', '2027-01-31T08:00:00+08:00')),
  misfire: optional(
    fc.oneof(
      fc.constantFrom('skip', 'fire-all'),
      fc.record({ policy: fc.constant('skip'), threshold: duration }),
    ),
  ),
  exclude: optional(
    fc.record({
      dates: fc.subarray(['2026-05-01', '2026-05-02']),
      yearly: fc.subarray(['12-25']),
      weekdays: fc.subarray(['monday', 'sunday']),
    }),
  ),
  params: optional(params),
  priority: optional(priority),
  enabled: optional(fc.boolean()),
});

const upstream = { workflow: reference, task: optional(word), window: fc.constantFrom('today', 'last2Days') };
const item = fc.oneof(
  fc.record({ ...upstream, onFailure: optional(fc.constant('fail')) }),
  fc.record({ ...upstream, onFailure: fc.constant('wait'), for: optional(duration) }),
);
const items = fc.array(item, { minLength: 1, maxLength: 3 });
const group = fc.oneof(
  items.map((all) => ({ all })),
  items.map((any) => ({ any })),
);
const entries = fc.array(fc.oneof(item, group), { minLength: 1, maxLength: 4 });
const dependent = fc.oneof(
  entries.map((all) => ({ all })),
  entries.map((any) => ({ any })),
);

const common = {
  description: optional(text),
  params: optional(params),
  trigger: optional(fc.constantFrom('all-done', 'none-failed', 'all-succeeded')),
  timeout: optional(timeout),
  delay: optional(duration),
  priority: optional(priority),
  disabled: optional(fc.boolean()),
  ignoreFailure: optional(fc.boolean()),
};

const retries = fc.oneof(
  fc.nat(5),
  fc.record({
    limit: fc.nat(5),
    delay: optional(duration),
    backoff: optional(fc.integer({ min: 1, max: 9 })),
    maxDelay: optional(duration),
    on: optional(fc.constantFrom('any', 'same', 'other')),
  }),
  fc.record({
    limit: fc.nat(5),
    on: fc.constant('same'),
    // biome-ignore lint/suspicious/noThenProperty: a key of the file, never a function
    then: fc.constantFrom('any', 'other'),
    after: optional(fc.integer({ min: 1, max: 9 })),
  }),
);

const shards = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.constant('0=beijing,2=shanghai'),
  fc.record({
    count: fc.integer({ min: 3, max: 9 }),
    params: optional(fc.dictionary(fc.constantFrom('0', '1', '2'), text)),
    plan: optional(fc.constantFrom('none', 'static', 'dynamic')),
    strategy: optional(fc.constantFrom('average', 'rotate')),
    instances: optional(fc.integer({ min: 1, max: 3 })),
  }),
);

const work = fc.record({
  ...common,
  type: fc.constantFrom('shell', 'http'),
  with: optional(fc.dictionary(word, fc.jsonValue({ maxDepth: 2, noUnicodeString: true }).filter(isPlain))),
  retries: optional(retries),
  queueTimeout: optional(duration),
  onNoWorker: optional(fc.oneof(fc.constantFrom('wait', 'fail'), fc.record({ fail: duration }))),
  workerGroup: optional(word),
  environment: optional(word),
  group: optional(fc.oneof(word, fc.record({ name: word, priority: fc.integer({ min: -5, max: 5 }) }))),
  shards: optional(shards),
  resources: optional(
    fc.oneof(
      fc.record({ cores: fc.constantFrom(0.5, 2) }),
      fc.record({ cores: fc.constantFrom(1, 64), memory: fc.constantFrom('512MB', '1.5GB', 1_000) }),
    ),
  ),
  onLostContact: optional(fc.constantFrom('kill', 'keep')),
});

const logic = fc.oneof(
  fc.record({
    ...common,
    type: fc.constant('sub-workflow'),
    with: fc.record({ workflow: reference, params: optional(params) }),
  }),
  fc.record({ ...common, type: fc.constant('dependent'), with: dependent }),
  fc.record({
    ...common,
    type: fc.constant('dynamic'),
    with: fc.record({
      workflow: reference,
      over: fc.dictionary(word, fc.array(fc.integer(), { minLength: 1, maxLength: 2 }), {
        minKeys: 1,
        maxKeys: 2,
      }),
      without: optional(fc.array(fc.nat(9), { maxLength: 2 })),
      parallelism: optional(fc.integer({ min: 1, max: 20 })),
      onFailure: optional(fc.constantFrom('continue', 'stop')),
    }),
  }),
);

function isPlain(value: unknown): boolean {
  return !/\$|__proto__|-0(?!\.)|[eE][-+]?\d/.test(JSON.stringify(value));
}

/** Files in which each task needs some of those before it; the last chooses between two more. */
const files: fc.Arbitrary<WorkflowFile> = fc
  .record({
    project: optional(word),
    name: fc.constant('zz-own'),
    description: optional(text),
    tags: optional(fc.array(text, { maxLength: 2 })),
    priority: optional(priority),
    limit: optional(fc.integer({ min: 1, max: 9 })),
    onFailure: optional(fc.constantFrom('continue', 'end')),
    timeout: optional(timeout),
    workerGroup: optional(word),
    environment: optional(word),
    tenant: optional(word),
    timezone: optional(fc.constantFrom('UTC', 'Asia/Shanghai')),
    params: optional(params),
    schedules: optional(fc.array(schedule, { maxLength: 2 })),
    tasks: fc.array(fc.tuple(fc.oneof(work, logic), fc.infiniteStream(fc.boolean())), {
      minLength: 1,
      maxLength: 4,
    }),
    branch: fc.constantFrom('switch', 'conditions'),
  })
  .map(({ tasks, schedules, branch, ...rest }) => {
    const named = tasks.map(([task, chosen], i) => ({
      ...task,
      name: `t${i}`,
      needs: tasks.slice(0, i).flatMap((_, k) => (chosen.next().value ? [`t${k}`] : [])),
    }));
    const choice =
      branch === 'switch'
        ? { cases: [{ when: '1 > 0', to: 'yes' }], default: ['no'] }
        : { any: ['t0', { all: [{ task: 't0', is: 'failed' }] }], success: 'yes', failure: ['no'] };
    return {
      ...rest,
      schedules: schedules?.map((one, i) => ({ ...one, name: `s${i}` })),
      tasks: [
        ...named,
        { name: 'choose', type: branch, needs: 't0', with: choice },
        { name: 'yes', type: 'shell', needs: 'choose' },
        { name: 'no', type: 'shell', needs: 'choose' },
      ],
    } as WorkflowFile;
  })
  .map((file) => JSON.parse(JSON.stringify(file)));
