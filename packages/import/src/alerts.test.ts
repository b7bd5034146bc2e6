import { describe, expect, it } from 'vitest';
import { importDolphinScheduler } from './dolphinscheduler.ts';

const workflow = (name: string, code: number, warningType: string, warningGroupId: number) => ({
  workflowDefinition: { code, name, globalParams: '[]' },
  taskDefinitionList: [{ code: code * 10, name: 'a', taskType: 'SHELL', taskParams: { rawScript: 'true' } }],
  schedule: { crontab: '0 0 2 * * ? *', warningType, warningGroupId },
});
const groups = {
  code: 0,
  data: {
    totalList: [
      { id: 3, groupName: 'data team', alertInstanceIds: '7,8,9' },
      { id: 4, groupName: 'nobody', alertInstanceIds: '9' },
    ],
  },
};
const fields = (values: Record<string, unknown>) =>
  JSON.stringify(Object.entries(values).map(([field, value]) => ({ field, title: field, value })));
const instances = {
  code: 0,
  data: [
    {
      id: 7,
      instanceName: 'team mail',
      alertPluginName: 'Email',
      pluginInstanceParams: fields({
        receivers: 'ops@example.org,ann@example.org',
        receiverCcs: null,
        serverHost: 'smtp.example.org',
        serverPort: 465,
        sender: 'ds@example.org',
        enableSmtpAuth: 'true',
        User: 'ds',
        Password: 'hush-hush',
        starttlsEnable: 'false',
        sslEnable: 'true',
      }),
    },
    {
      id: 8,
      instanceName: 'ding',
      alertPluginName: 'DingTalk',
      pluginInstanceParams: {
        WebHook: 'https://oapi.example/robot/send?access_token=hush-hush',
        Secret: 'hush-hush',
        IsAtAll: true,
        Keyword: 'etl',
      },
    },
    { id: 9, instanceName: 'wx', alertPluginName: 'WeChat', pluginInstanceParams: '{"corpId":"hush-hush"}' },
  ],
};
const lists = [JSON.stringify(groups), JSON.stringify(instances)];
const read = (...workflows: object[]) => importDolphinScheduler(JSON.stringify(workflows), 'etl', lists);

describe('alert groups', () => {
  it('become channels and rules for the workflows that told them', () => {
    const { alerts } = read(
      workflow('a', 1, 'FAILURE', 3),
      workflow('b', 2, 'FAILURE', 3),
      workflow('c', 3, 'ALL', 3),
      workflow('d', 4, 'NONE', 3),
    );
    expect(alerts).toEqual({
      project: 'etl',
      channels: [
        {
          name: 'team-mail',
          kind: 'mail',
          settings: {
            host: 'smtp.example.org',
            port: 465,
            security: 'tls',
            from: 'ds@example.org',
            to: ['ops@example.org', 'ann@example.org'],
            user: 'ds',
            password: '${secret.team_mail_password}',
          },
        },
        {
          name: 'ding',
          kind: 'dingtalk',
          settings: {
            url: '${secret.ding_url}',
            secret: '${secret.ding_secret}',
            keyword: 'etl',
            everyone: true,
          },
        },
      ],
      rules: [
        {
          name: 'data-team',
          match: { kinds: ['run-failed', 'run-timeout', 'task-timeout'], names: ['a', 'b'] },
          channels: ['team-mail', 'ding'],
        },
        {
          name: 'data-team-all',
          match: { kinds: ['run-failed', 'run-timeout', 'task-timeout', 'run-succeeded'], names: ['c'] },
          channels: ['team-mail', 'ding'],
        },
      ],
    });
  });

  it('carry no password over, and every loss is told', () => {
    const result = read(workflow('a', 1, 'SUCCESS', 4), workflow('b', 2, 'FAILURE', 99));
    expect(JSON.stringify(result)).not.toContain('hush-hush');
    expect(result.alerts?.rules).toEqual([]);
    expect(result.notes.map(({ workflow: about, message }) => `${about}: ${message}`)).toEqual([
      'channel team-mail: give the masters its password as the secret "team_mail_password"',
      'channel ding: give the masters its url as the secret "ding_url"',
      'channel ding: give the masters its secret as the secret "ding_secret"',
      'channel wx: an alert instance of WeChat has no counterpart; set up a channel by hand',
      'a: sends no alerts: no channel of alert group "nobody" could be carried over',
      'b: sends no alerts: alert group 99 is not in the lists',
    ]);
  });

  it.each([
    ['{', /not JSON/],
    ['{"data": 5}', /no list/],
    ['[{"groupName": "x"}]', /no alert group of DolphinScheduler: id/],
    ['[5]', /no alert instance/],
  ])('in a file such as %s are refused', (text, message) => {
    expect(() => importDolphinScheduler('[]', 'etl', [text])).toThrow(message);
  });
});
