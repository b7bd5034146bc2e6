import { describe, expect, it } from 'vitest';
import { isOnlyAlertDocument, parseAlertFile } from './file.ts';

const checkSettings = (kind: string) =>
  kind === 'webhook' ? undefined : { path: ['kind'], message: `"${kind}" is unknown` };
const read = (text: string, hasChannel?: (project: string, name: string) => boolean) =>
  parseAlertFile(text, { checkSettings, hasChannel });

describe('an alert file', () => {
  it('says which project its channels and rules are of; without one, all projects and the default one', () => {
    const channel = '{name: ops, kind: webhook, settings: {url: x}}';
    const { channels, rules, problems } = read(
      `channels: [${channel}]\nrules: [{name: a, channels: [ops]}]\n---\nproject: sales\nchannels: [${channel}]\nrules: [{name: a, channels: [ops], delay: 5m}]\n`,
    );
    expect(problems).toEqual([]);
    expect(channels.map(({ project, name }) => [project, name])).toEqual([
      ['*', 'ops'],
      ['sales', 'ops'],
    ]);
    expect(rules.map(({ project, rule }) => [project, rule.delay])).toEqual([
      ['default', 0],
      ['sales', 300_000],
    ]);
  });

  it.each([
    [
      'rules:\n  - {name: a, channels: [ops], chanel: x}',
      2,
      /unknown key "chanel"; did you mean "channels"\?/,
    ],
    ['rules:\n  - {name: a, channels: [ops], delay: 5 min}', 2, /5 min/],
    ['rules:\n  - {name: a, channels: [ops], quiet: {from: "25:00", to: "06:00"}}', 2, /not a time of day/],
    [
      'rules:\n  - {name: a, channels: [ops]}\n  - {name: a, channels: [ops]}',
      3,
      /default\/a is defined twice/,
    ],
    ['channels:\n  - {name: a, kind: fax, settings: {}}', 2, /"fax" is unknown/],
    ['rules:\n  - {name: a, channels: [ops]}\ntasks: []', 3, /unknown key "tasks"/],
    ['rules:\n  - {name: a, channels: [nobody]}', 2, /there is no channel "nobody"/],
    [
      'rules:\n  - {name: a, channels: [ops],\n     escalate: {after: 1h, channels: [boss]}}',
      3,
      /no channel "boss"/,
    ],
    ['rules: []', undefined, /no channel and no rule/],
    ['rules: [', 1, /./],
  ])('%j is refused at line %s', (text, line, message) => {
    const { problems } = read(text, (_, name) => name === 'ops');
    expect(problems).toMatchObject([{ message: expect.stringMatching(message) }]);
    expect(problems[0].line).toBe(line);
  });

  it('may name a channel that stands behind the rule, of its project or of all', () => {
    const text = `project: sales\nrules: [{name: a, channels: [mine, ops]}]\nchannels: [{name: mine, kind: webhook, settings: {}}]`;
    expect(read(text, (project, name) => project === '*' && name === 'ops').problems).toEqual([]);
    expect(read(text, (project, name) => project === 'other' && name === 'ops').problems).toHaveLength(1);
  });
});

it('files of a folder are alert files only where nothing says that they are something else', () => {
  expect(isOnlyAlertDocument(['rules'])).toBe(true);
  expect(isOnlyAlertDocument(['project', 'channels', 'rules'])).toBe(true);
  expect(isOnlyAlertDocument(['root', 'rules'])).toBe(false);
  expect(isOnlyAlertDocument(['name', 'tasks', 'rules'])).toBe(false);
  expect(isOnlyAlertDocument(['project'])).toBe(false);
});
