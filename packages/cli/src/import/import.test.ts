import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsProblem } from '@orrery/alerts';
import { parseAlertFile } from '@orrery/core/alert/file';
import { parseWorkflowFile } from '@orrery/core/model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';

const exported = [
  {
    workflowDefinition: { code: 1, name: 'daily orders', globalParams: '[]', timeout: 0 },
    workflowTaskRelationList: [{ preTaskCode: 10, postTaskCode: 11 }],
    taskDefinitionList: [
      { code: 10, name: 'extract', taskType: 'SHELL', taskParams: { rawScript: 'echo ${day}\necho done' } },
      { code: 11, name: 'load', taskType: 'SQL', taskParams: { sql: 'select 1' } },
    ],
  },
];

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orrery-import-'));
  file = join(folder, 'export.json');
  await writeFile(file, JSON.stringify(exported));
});
afterEach(() => rm(folder, { recursive: true }));

describe('orrery import', () => {
  it('prints files that can be applied, and on standard error what was not carried over', async () => {
    const { code, out, err } = await orrery(['import', file, '--project', 'etl']);
    expect(code).toBe(0);
    const { workflows, problems } = parseWorkflowFile(out);
    expect(problems).toEqual([]);
    expect(workflows).toMatchObject([
      { project: 'etl', name: 'daily-orders', tasks: [{}, { needs: ['extract'] }] },
    ]);
    expect(err.split('\n')).toEqual([
      'changed   daily-orders: was called "daily orders"',
      'left out  daily-orders.load: a task of type SQL with these settings has no counterpart; the task is there, and fails until it is replaced',
      expect.stringContaining('1 workflow(s); 1 thing(s) changed, 1 left out.'),
      '',
    ]);
  });

  it('writes a file for each workflow, and replaces none unless told to', async () => {
    const out = join(folder, 'flows');
    const first = await orrery(['import', file, '--out', out]);
    expect(first).toMatchObject({ code: 0, out: `${join(out, 'daily-orders.yaml')}\n` });
    expect(await readdir(out)).toEqual(['daily-orders.yaml']);
    expect(await readFile(join(out, 'daily-orders.yaml'), 'utf8')).toContain('name: extract');
    const again = await orrery(['import', file, '--out', out]);
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('is there already; give --force') });
    expect((await orrery(['import', file, '--out', out, '--force'])).code).toBe(0);
  });

  it('answers scripts in JSON, and reads standard input', async () => {
    const { code, out, err } = await orrery(['import', '-', '--json'], JSON.stringify(exported));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { workflows, notes, files } = JSON.parse(out);
    expect([workflows.length, notes.length, files]).toEqual([1, 2, []]);
  });

  it.each([
    [['import', 'no-such-file.json'], 'orrery: no-such-file.json cannot be read: ENOENT\n'],
    [['import', '-'], 'orrery: this is not JSON: '],
  ])('refuses %j in one line', async (args, message) => {
    const { code, err } = await orrery(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('writes alert groups as a file whose channels and rules are right', async () => {
    const lists = join(folder, 'lists.json');
    const params = { webHook: 'https://hooks.example/hush-hush' };
    const entries = [
      { id: 1, instanceName: 'chat', alertPluginName: 'Slack', pluginInstanceParams: JSON.stringify(params) },
      { id: 2, groupName: 'team', alertInstanceIds: '1' },
    ];
    await writeFile(lists, JSON.stringify(entries));
    const schedule = { crontab: '0 0 2 * * ? *', warningType: 'FAILURE', warningGroupId: 2 };
    await writeFile(file, JSON.stringify([{ ...exported[0], schedule }]));
    expect((await orrery(['import', file, '--alerts', lists])).err).toContain('--alerts: needs --out');
    const out = join(folder, 'flows');
    expect((await orrery(['import', file, '--alerts', lists, '--out', out])).code).toBe(0);
    const text = await readFile(join(out, 'alerts.yaml'), 'utf8');
    expect(text).not.toContain('hush-hush');
    expect(parseAlertFile(text, { checkSettings: settingsProblem, hasChannel: () => false })).toMatchObject({
      problems: [],
      channels: [{ project: 'default', name: 'chat', settings: { url: '${secret.chat_url}' } }],
      rules: [{ rule: { name: 'team', match: { names: ['daily-orders'] }, channels: ['chat'] } }],
    });
  });
});
