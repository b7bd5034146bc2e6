import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copy, type Gesture, splicesOf, wayBetween } from './gestures.ts';
import { apply, EditRefused, readSource, type Source } from './source.ts';

interface Model {
  readonly name: string;
  readonly type: string;
  readonly needs: readonly string[];
}

const read = (text: string): Source => {
  const source = readSource(text);
  if (!source) throw new Error(`cannot be read:\n${text}`);
  return source;
};
const modelOf = ({ tasks }: Source): Model[] => tasks.map(({ name, type, needs }) => ({ name, type, needs }));
const after = (text: string, ...gestures: Gesture[]) =>
  gestures.reduce((now, gesture) => apply(now, splicesOf(read(now), gesture)), text);

const small = `# orders
name: orders   # the name

tasks:
  # reads
  - name: extract  # first
    type: shell
    with:
      script: |
        echo 1

        echo 2

  - { name: clean, type: shell, needs: extract }

  # writes
  - name: load
    needs:
      - extract # raw
      - clean
    type: sql
tags: [a,   b]
`;

describe('gestures on a text', () => {
  it('add a task at the end, after another, and to a workflow without any', () => {
    const task = { name: 'report', type: 'shell', needs: ['load'], with: { script: 'echo a\necho b' } };
    expect(after(small, { do: 'add', task })).toBe(
      small.replace(
        'type: sql\n',
        'type: sql\n  - name: report\n    type: shell\n    needs: load\n    with:\n      script: |-\n        echo a\n        echo b\n',
      ),
    );
    expect(after(small, { do: 'add', task: { name: 'x', type: 'noop' }, after: 'clean' })).toBe(
      small.replace('needs: extract }\n', 'needs: extract }\n  - name: x\n    type: noop\n'),
    );
    const one = 'tasks:\n  - name: x\n    type: noop';
    const add: Gesture = { do: 'add', task: { name: 'x', type: 'noop' } };
    expect(after('name: a\n', add)).toBe(`name: a\n${one}\n`);
    expect(after('name: a\ntasks: []\n', add)).toBe(`name: a\n${one}\n`);
    expect(after('name: a\ntasks:\n', add)).toBe(`name: a\n${one}\n`);
    expect(after('{"name": "a", "tasks": []}', add)).toBe(
      '{"name": "a", "tasks": [{ "name": "x", "type": "noop" }]}',
    );
  });

  it('take tasks out with the comment above them, and out of the needs of others', () => {
    expect(after(small, { do: 'remove', names: ['extract'] })).toBe(
      small
        .replace(/ {2}# reads\n[\s\S]*?echo 2\n/, '')
        .replace(', needs: extract }', ' }')
        .replace('      - extract # raw\n', ''),
    );
    expect(after(small, { do: 'remove', names: ['load', 'clean', 'extract'] })).toContain(
      'tasks: []\ntags: [a,   b]\n',
    );
    expect(
      after('name: a\ntasks: [{name: a}, {name: b}, {name: c}]', { do: 'remove', names: ['b', 'c'] }),
    ).toBe('name: a\ntasks: [{name: a}]');
  });

  it('connect and disconnect in whatever form the needs are written', () => {
    const task: Gesture = { do: 'add', task: { name: 'x', type: 'noop' } };
    const more = after(small, task);
    expect(after(more, { do: 'connect', from: 'x', to: 'load' })).toBe(
      more.replace('      - clean\n', '      - clean\n      - x\n'),
    );
    expect(after(more, { do: 'connect', from: 'x', to: 'clean' })).toBe(
      more.replace('needs: extract }', 'needs: [extract, x] }'),
    );
    expect(after(more, { do: 'connect', from: 'x', to: 'extract' })).toBe(
      more.replace('    type: shell\n    with', '    type: shell\n    needs: x\n    with'),
    );
    expect(after(small, { do: 'disconnect', from: 'clean', to: 'load' })).toBe(
      small.replace('      - clean\n', ''),
    );
    expect(
      after(small, { do: 'connect', from: 'x', to: 'clean' }, { do: 'disconnect', from: 'x', to: 'clean' }),
    ).toContain('needs: [extract] }');
  });

  it('refuse a loop with its way', () => {
    expect(() => splicesOf(read(small), { do: 'connect', from: 'load', to: 'extract' })).toThrow(
      expect.objectContaining({ code: 'loop', detail: 'extract → load → extract' }),
    );
    expect(wayBetween(read(small).tasks, 'clean', 'extract')).toEqual([]);
  });

  it('set fields of tasks and of the workflow, and take them away', () => {
    const retries: Gesture = { do: 'set', names: ['extract', 'load'], path: ['retries'], value: 3 };
    expect(after(small, retries)).toBe(
      small
        .replace('    type: shell\n', '    type: shell\n    retries: 3\n')
        .replace('    type: sql\n', '    type: sql\n    retries: 3\n'),
    );
    expect(after(small, retries, { ...retries, value: undefined })).toBe(small);
    expect(after(small, { do: 'set', names: ['extract'], path: ['with', 'script'], value: 'ls' })).toContain(
      '    with:\n      script: ls\n\n  - {',
    );
    expect(after(small, { do: 'set', names: ['clean'], path: ['with', 'script'], value: 'a: b' })).toContain(
      'needs: extract, with: { script: "a: b" } }',
    );
    expect(after(small, { do: 'set', names: ['extract'], path: ['with', 'script'] })).not.toContain('with:');
    const schedules = { yaml: '- name: nightly\n  cron: 0 2 * * *' };
    expect(after(small, { do: 'set', names: null, path: ['schedules'], value: schedules })).toBe(
      `${small}schedules:\n  - name: nightly\n    cron: 0 2 * * *\n`,
    );
    expect(after(small, { do: 'set', names: null, path: ['name'], value: 'b' })).toContain(
      'name: b   # the name',
    );
    expect(() => after(small, { do: 'set', names: null, path: ['params'], value: { yaml: '{' } })).toThrow(
      EditRefused,
    );
  });

  it('give a task another name wherever it is named, also in branches', () => {
    const text = `${small}`.replace(
      'tags:',
      '  - name: check\n    type: conditions\n    needs: [load]\n    with: { all: [load], success: [end] }\n  - { name: end, type: noop, needs: check }\ntags:',
    );
    expect(after(text, { do: 'rename', from: 'load', to: 'store' })).toBe(
      text
        .replace('name: load', 'name: store')
        .replace('[load]\n', '[store]\n')
        .replace('all: [load]', 'all: [store]'),
    );
    expect(
      after(text, { do: 'insert', task: { name: 'mid', type: 'noop' }, from: 'check', to: 'end' }),
    ).toContain(
      'success: [mid] }\n  - name: mid\n    type: noop\n    needs: check\n  - { name: end, type: noop, needs: mid }',
    );
  });

  it('copy tasks with their comments, and paste them under free names', () => {
    const copied = copy(read(small), ['clean', 'load']);
    expect(copied).toBe(
      '- { name: clean, type: shell, needs: extract }\n# writes\n- name: load\n  needs:\n    - extract # raw\n    - clean\n  type: sql\n',
    );
    const twice = after(small, { do: 'paste', yaml: copied });
    expect(modelOf(read(twice)).slice(3)).toEqual([
      { name: 'clean-2', type: 'shell', needs: ['extract'] },
      { name: 'load-2', type: 'sql', needs: ['extract', 'clean-2'] },
    ]);
    expect(twice.startsWith(small.slice(0, small.indexOf('tags')))).toBe(true);
    expect(modelOf(read(after('name: b\n', { do: 'paste', yaml: copied })))).toEqual([
      { name: 'clean', type: 'shell', needs: [] },
      { name: 'load', type: 'sql', needs: ['clean'] },
    ]);
    expect(() => after(small, { do: 'paste', yaml: 'just words' })).toThrow(EditRefused);
  });

  it('leave alone what is written by alias or merged keys', () => {
    const text =
      'base: &b { name: a, type: shell }\ntasks:\n  - *b\n  - { <<: *b, name: c }\n  - { name: d, type: noop }\n';
    expect(modelOf(read(text)).map(({ name }) => name)).toEqual(['a', 'c', 'd']);
    expect(() => splicesOf(read(text), { do: 'connect', from: 'd', to: 'a' })).toThrow(EditRefused);
    expect(() => splicesOf(read(text), { do: 'connect', from: 'd', to: 'c' })).toThrow(EditRefused);
    expect(modelOf(read(after(text, { do: 'connect', from: 'a', to: 'd' })))[2].needs).toEqual(['a']);
  });
});

/** A text of some tasks, each in a form of its own, with comments and blank lines between. */
const anyText = fc
  .array(fc.record({ form: fc.nat(4), needs: fc.array(fc.nat(9), { maxLength: 3 }), above: fc.nat(3) }), {
    minLength: 1,
    maxLength: 7,
  })
  .chain((tasks) =>
    fc.record({
      tasks: fc.constant(tasks),
      flow: fc.boolean(),
      column: fc.constantFrom(0, 2, 4),
      end: fc.boolean(),
    }),
  )
  .map(({ tasks, flow, column, end }) => {
    const texts = tasks.map(({ form, needs, above }, k) => {
      const before = [...new Set(needs.filter((one) => one < k).map((one) => `t${one}`))];
      const list = before.length === 1 && form % 2 === 0 ? before[0] : `[${before.join(', ')}]`;
      const inBrackets = `{ name: t${k}, type: shell${before.length > 0 ? `, needs: ${list}` : ''} }`;
      if (flow || form === 3) return flow ? inBrackets : `- ${inBrackets}`;
      const lines = [
        `name: t${k}${form === 1 ? '   # said of it' : ''}`,
        'type: shell',
        ...(before.length === 0
          ? []
          : form === 2
            ? ['needs:', ...before.map((one) => `  - ${one}`)]
            : [`needs: ${list}`]),
        ...(form === 4 ? ['with:', '  script: |', '    echo a', '', '    # no comment', '    echo b'] : []),
      ];
      const head = ['', '# about it\n', '\n', '\n# apart\n\n'][above];
      return `${head}- ${lines.join('\n  ')}`;
    });
    const list = flow
      ? ` [${texts.join(', ')}]`
      : `\n${texts
          .join('\n')
          .split('\n')
          .map((line) => (line === '' ? '' : ' '.repeat(column) + line))
          .join('\n')}`;
    return `name: w\n# tasks\ntasks:${list}${end ? '\n' : '\ntags: [x]  # last\n'}`.slice(
      0,
      end && flow ? -1 : undefined,
    );
  });

const pick = fc.nat(20);
const anyGesture = fc.record({ kind: fc.nat(8), a: pick, b: pick, c: pick });

/** What a gesture does to a plain list of tasks: said a second time, without any text. */
function expected(model: readonly Model[], gesture: Gesture): Model[] {
  const withNeeds = (
    to: string | readonly string[],
    change: (needs: readonly string[]) => readonly string[],
  ) => model.map((task) => ([to].flat().includes(task.name) ? { ...task, needs: change(task.needs) } : task));
  switch (gesture.do) {
    case 'add': {
      const at =
        gesture.after === undefined
          ? model.length
          : model.findIndex(({ name }) => name === gesture.after) + 1;
      return model.toSpliced(at, 0, { needs: [], ...gesture.task });
    }
    case 'insert': {
      const at = model.findIndex(({ name }) => name === gesture.from) + 1;
      return withNeeds(gesture.to, (needs) =>
        needs.map((one) => (one === gesture.from ? gesture.task.name : one)),
      ).toSpliced(at, 0, { name: gesture.task.name, type: gesture.task.type, needs: [gesture.from] });
    }
    case 'remove':
      return model
        .filter(({ name }) => !gesture.names.includes(name))
        .map((task) => ({ ...task, needs: task.needs.filter((one) => !gesture.names.includes(one)) }));
    case 'connect':
      return withNeeds(gesture.to, (needs) => [...new Set([...needs, gesture.from])]);
    case 'disconnect':
      return withNeeds(gesture.to, (needs) => needs.filter((one) => one !== gesture.from));
    case 'rename':
      return model.map(({ name, type, needs }) => {
        const now = (one: string) => (one === gesture.from ? gesture.to : one);
        return { name: now(name), type, needs: needs.map(now) };
      });
    case 'set':
      return [...model];
    default:
      throw new Error(gesture.do);
  }
}

/** The gesture that numbers stand for on this model; null where there is none. */
function gestureOf(
  { kind, a, b, c }: { kind: number; a: number; b: number; c: number },
  model: readonly Model[],
  step: number,
): Gesture | null {
  const [one, other] = [model[a % model.length]?.name, model[b % model.length]?.name];
  const task = { name: `n${step}`, type: 'noop' };
  if (one === undefined) return { do: 'add', task };
  if (kind === 0) return { do: 'add', task, after: c % 2 === 0 ? one : undefined };
  if (kind === 1) return { do: 'remove', names: [one, other] };
  if (kind === 2 || kind === 3) {
    const third = model[c % model.length].name;
    const to = kind === 2 ? other : [...new Set([other, third])];
    const isLoop = [to].flat().some((each) => wayBetween(model, each, one).length > 0);
    return isLoop ? null : { do: 'connect', from: one, to };
  }
  if (kind === 4 || kind === 5) {
    const edges = model.flatMap(({ name, needs }) => needs.map((need) => ({ from: need, to: name })));
    const edge = edges[c % edges.length];
    if (!edge) return null;
    return kind === 4 ? { do: 'disconnect', ...edge } : { do: 'insert', task, ...edge };
  }
  if (kind === 6) return { do: 'rename', from: one, to: `r${step}` };
  const value = [3, 'a\nb\n', undefined, 'x: y', { cores: 2 }][c % 5];
  return {
    do: 'set',
    names: [...new Set([one, other])],
    path: kind === 7 ? ['retries'] : ['with', 'script'],
    value,
  };
}

describe('any gestures', () => {
  it('keep text and graph equal, and leave every task that they do not touch as it is written', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyGesture, { maxLength: 8 }), (start, steps) => {
        let text = start;
        for (const [step, numbers] of steps.entries()) {
          const source = read(text);
          const model = modelOf(source);
          const gesture = gestureOf(numbers, model, step);
          if (!gesture) continue;
          const splices = splicesOf(source, gesture);
          for (const [k, { from }] of splices.entries())
            expect(from).toBeGreaterThanOrEqual(splices[k - 1]?.to ?? 0);
          const next = apply(text, splices);
          const result = read(next);
          const wanted = expected(model, gesture);
          expect(modelOf(result)).toEqual(wanted);
          if (gesture.do === 'set')
            for (const name of gesture.names ?? []) {
              const map = result.tasks.find((one) => one.name === name)?.map?.toJSON() ?? {};
              expect(gesture.path.reduce((value, key) => value?.[key], map)).toEqual(gesture.value);
            }
          // What has the same name and needs and was not set reads byte for byte as before.
          const touched = new Set(gesture.do === 'set' ? gesture.names : []);
          for (const task of wanted) {
            const old = model.find(({ name }) => name === task.name);
            if (!old || touched.has(task.name) || JSON.stringify(old) !== JSON.stringify(task)) continue;
            expect(copy(result, [task.name])).toBe(copy(source, [task.name]));
          }
          expect(next.split('\n')[0]).toBe('name: w');
          expect(next.endsWith('tags: [x]  # last\n')).toBe(text.endsWith('tags: [x]  # last\n'));
          text = next;
        }
      }),
      { numRuns: 300 },
    );
  });
});
