import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const sends = (name: string, project = 'default') =>
  `project: ${project}\nname: ${name}\nenvironment: prod\ntasks: [{name: a, type: shell, with: {script: 'send \${secret.api-key}'}}]`;
const none = { workflows: 0, workflow: null, environments: [], connections: [], channels: [], usedAt: null };

describe('secrets', () => {
  it('are listed by name with what names them, and when that last ran', async () => {
    await api.put('/environments/prod', {
      variables: { TOKEN: '${secret.token}', KEY: 'x ${secret.api-key}' },
    });
    await api.put('/environments/idle', { variables: { OLD: '${secret.old}' }, projects: ['other'] });
    const settings = { url: 'https://hooks.example/a', secrets: ['${secret.hook}'] };
    expect((await api.put('/alert-channels/*/ops', { kind: 'webhook', settings })).status).toBe(200);
    await api.publish(sends('second'));
    await api.publish(sends('first'));
    const api_key = {
      ...none,
      name: 'api-key',
      workflows: 2,
      workflow: 'default/first',
      environments: ['prod'],
    };
    const secrets = [
      api_key,
      { ...none, name: 'hook', channels: ['*/ops'] },
      { ...none, name: 'old', environments: ['idle'] },
      { ...none, name: 'token', environments: ['prod'] },
    ];
    expect((await api.get('/secrets')).body).toEqual({ secrets });
    // Another project sees what it may use, and none of the others' names.
    expect((await api.get('/secrets?project=other')).body).toEqual({
      secrets: [
        { ...none, name: 'api-key', environments: ['prod'] },
        { ...none, name: 'old', environments: ['idle'] },
        { ...none, name: 'token', environments: ['prod'] },
      ],
    });
  });
});
