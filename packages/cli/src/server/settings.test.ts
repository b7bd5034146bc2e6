import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { masterDefaults, retentionDefaults } from '@orrery/master';
import { workerDefaults } from '@orrery/worker';
import { afterAll, describe, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { readConfigFile } from './config-file.ts';
import { nodeOptions, retentionOf } from './node-options.ts';
import { readSettings, type Sources } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (sources: Partial<Sources>) => readSettings({ options: {}, environment: {}, ...sources });
const effective = (sources: Partial<Sources>, name: string) =>
  read(sources).effective.find((setting) => setting.name === name);
const set = (
  options: Sources['options'],
  environment: Sources['environment'] = { ORRERY_NO_TOKEN: 'true' },
) => {
  const { settings, effective } = read({ options, environment });
  return nodeOptions(settings, effective, () => {});
};

describe('a setting of orrery server', () => {
  it('counts as an option before the environment, there before the file, there before the default', () => {
    const file = { path: 'node.yaml', values: { port: 3 } };
    const environment = { ORRERY_PORT: '2' };
    expect(effective({ options: { port: '1' }, environment, file }, 'port')).toMatchObject({
      value: '1',
      source: 'option',
    });
    expect(effective({ environment, file }, 'port')).toMatchObject({ value: '2', source: 'ORRERY_PORT' });
    expect(effective({ file }, 'port')).toMatchObject({ value: '3', source: 'node.yaml' });
    expect(effective({}, 'port')).toEqual({ name: 'port', value: '7070', source: 'default', secret: false });
    expect(effective({ environment: { ORRERY_PORT: '' } }, 'port')).toMatchObject({ source: 'default' });
    expect(read({ environment }).settings.port).toBe(2);
  });

  it('says how much is kept: by default what masters and workers keep by themselves', () => {
    expect(retentionOf(read({}).settings)).toEqual(retentionDefaults);
    expect(read({}).settings.keepLogs).toBe(workerDefaults().logRetention);
    expect(read({}).settings.maxLogs).toBe(workerDefaults().logCount);
    const { retention, logRetention } = set({
      role: 'master,worker,api',
      keepRuns: '2d',
      maxRuns: '10',
      keepLogs: '1h',
    });
    expect(retention).toEqual({ ...retentionDefaults, runs: 172_800_000, maxRuns: 10 });
    expect(logRetention).toBe(3_600_000);
    expect(() => read({ options: { keepRuns: 'long' } })).toThrow('is not a duration');
  });

  it('sets the room, the session timeout and the limits of load of a master', () => {
    const usual = set({ role: 'master,api' });
    expect(usual).toMatchObject({ room: masterDefaults.room, sessionTimeout: masterDefaults.sessionTimeout });
    expect(usual.loadLimits).toEqual(masterDefaults.loadLimits);
    const given = { room: '5', sessionTimeout: '9s', maxCpu: '80%' };
    expect(set({ role: 'master,api', ...given })).toMatchObject({
      room: 5,
      sessionTimeout: 9_000,
      loadLimits: { cpu: 0.8 },
    });
    expect(() => read({ options: { sessionTimeout: '1s' } })).toThrow('write 3s to 1h');
    expect(() => read({ options: { maxCpu: '0.8' } })).toThrow('write 1% to 100%');
  });

  it('gives workers a lease from two seconds to a day', () => {
    expect(set({ role: 'master,api' }).lease).toBe(masterDefaults.lease);
    expect(set({ role: 'master,api', lease: '2s' }).lease).toBe(2_000);
    expect(set({ role: 'master,api', lease: '1d' }).lease).toBe(86_400_000);
    for (const lease of ['0', '1s', '24h1s', '30d'])
      expect(() => read({ options: { lease } })).toThrow(`--lease: "${lease}" is no lease; write 2s to 1d`);
  });

  it('of a registry is refused with what is accepted', () => {
    const wrong: [string, string, RegExp][] = [
      ['registry', 'ftp://h', /--registry: the registry is postgres:.*or none/],
      [
        'registryTimeout',
        '10ms',
        /--registry-timeout: "10ms" is no session timeout of a registry; write 1s to 10m/,
      ],
      ['onRegistryLoss', 'panic', /--on-registry-loss: "panic" is none of pause, exit, continue/],
      ['cluster', 'a/b', /--cluster: "a\/b" cannot be a name/],
      ['weight', '0', /--weight: "0" is no whole number from 1/],
    ];
    for (const [name, value, message] of wrong)
      expect(() => read({ options: { [name]: value } })).toThrow(message);
    expect(set({ role: 'master,api', registry: 'none' }).registry).toBe('none');
  });

  it('is shown without its secret', () => {
    const options = { joinToken: 'hush', token: 'hush', database: 'postgres://me:hush@db/orrery' };
    const all = read({ options }).effective;
    expect(JSON.stringify(all)).not.toContain('hush');
    for (const database of ['postgres://me:hu@sh@db/x', 'postgres://db/x?password=hush&user=me'])
      expect(effective({ options: { database } }, 'database')?.value).not.toMatch(/hush|sh@/);
    expect(all).toContainEqual({ name: 'joinToken', value: null, source: 'option', secret: true });
    expect(all).toContainEqual({
      name: 'database',
      value: 'postgres://me@db/orrery',
      source: 'option',
      secret: false,
    });
  });

  it('may be a list: by commas, repeated, or a list in the file', () => {
    const expected = { join: ['a:1', 'b:2', '[::1]:3'] };
    expect(read({ options: { join: ['a:1, b:2', '[::1]:3'] } }).settings).toMatchObject(expected);
    const file = { path: 'x', values: { join: ['a:1', 'b:2', '[::1]:3'] } };
    expect(read({ file }).settings).toMatchObject(expected);
  });

  it('may be a path, which begins with a slash and does not end with one', () => {
    expect(read({ options: { basePath: '/tools/orrery' } }).settings.basePath).toBe('/tools/orrery');
    for (const basePath of ['orrery', '/orrery/', '/a b', '/'])
      expect(() => read({ options: { basePath } })).toThrow('is no path; write /orrery');
  });

  it('may be a flag: an option without a value, elsewhere true or false', () => {
    expect(read({}).settings.noToken).toBe(false);
    expect(read({ options: { noToken: true } }).settings.noToken).toBe(true);
    expect(read({ file: { path: 'f', values: { noToken: true } } }).settings.noToken).toBe(true);
    const environment = { ORRERY_NO_TOKEN: 'false' };
    expect(read({ environment }).settings.noToken).toBe(false);
    expect(effective({ environment }, 'noToken')).toMatchObject({
      value: 'false',
      source: 'ORRERY_NO_TOKEN',
    });
    expect(() => read({ environment: { ORRERY_NO_TOKEN: 'yes' } })).toThrow(
      'ORRERY_NO_TOKEN: "yes" is neither true nor false',
    );
  });

  it('comes from a file of YAML or JSON', () => {
    const path = join(folder, 'node.yaml');
    writeFileSync(path, 'role: [master, api]\nlisten: 127.0.0.1:9000\n# the rest by default\n');
    expect(readConfigFile(path)).toEqual({ role: ['master', 'api'], listen: '127.0.0.1:9000' });
    writeFileSync(path, '{"role": "worker", "slots": 3}');
    expect(readConfigFile(path)).toEqual({ role: 'worker', slots: 3 });
    writeFileSync(path, '');
    expect(readConfigFile(path)).toEqual({});
  });

  it.each([
    [{ options: { port: '65536' } }, '--port: "65536" is no whole number from 0 to 65535'],
    [{ environment: { ORRERY_SLOTS: '0' } }, 'ORRERY_SLOTS: "0" is no whole number from 1 to 10000'],
    [
      { options: { listen: 'here' } },
      '--listen: "here" is no address; write HOST:PORT, such as 10.0.0.5:7071',
    ],
    [{ options: { join: ['m1:0'] } }, '--join: "m1:0" has no port; write HOST:PORT'],
    [
      { options: { joinToken: 'a b' } },
      '--join-token: use letters, digits and signs of ASCII, without spaces',
    ],
    [
      { options: { role: ['boss'] } },
      '--role: "boss" is no role; a process is master, worker, api or several of them',
    ],
    [
      { options: { role: ['worker'], database: 'postgres://x' } },
      '--database: only for master and api; this process is worker',
    ],
    [{ file: { path: 'f', values: { ports: 1 } } }, 'f: there is no setting "ports"; there are: role, name,'],
    [{ file: { path: 'f', values: { port: [1, 2] } } }, 'f: port: a single value is wanted'],
  ] satisfies [Partial<Sources>, string][])('is refused in one line when wrong: %j', (sources, message) => {
    expect(() => read(sources)).toThrow(message);
  });

  it.each([
    [{}, 'say what this process is: --role master, worker, api or several'],
    [
      { role: ['worker'], join: ['m:1'], stopGrace: 'soon' },
      '"soon" is not a duration; write a number and a unit',
    ],
    [{ role: ['worker'] }, 'a worker needs the address of a master: --join HOST:PORT'],
    [
      { role: ['master'] },
      'masters and api share a database: --database postgres://…, or one process with --role master,api',
    ],
    [{ role: ['master', 'api'], tlsCert: 'x' }, '--tls-cert and --tls-key go together'],
    [{ role: ['master', 'api'], tlsCa: 'x' }, 'with --tls-ca they need --tls-cert and --tls-key too'],
    [
      { role: ['api', 'master'], tlsCa: '/nowhere', tlsCert: '/nowhere', tlsKey: '/nowhere' },
      '/nowhere: ENOENT',
    ],
  ] satisfies [Sources['options'], string][])(
    'is refused where another is missing: %j',
    (options, message) => {
      expect(() => set(options)).toThrow(message);
    },
  );

  it('refuses a short token where others reach the API, proxies that are none, and other targets of the audit', () => {
    const api = { role: 'master,api', host: '0.0.0.0' };
    expect(() => set(api, { ORRERY_TOKEN: 'hush' })).toThrow(
      'a token of fewer than 16 characters can be guessed',
    );
    const long = { ORRERY_TOKEN: 'h'.repeat(16) };
    const given = { trustedProxy: ['10.0.0.0/8,::1'], auditSyslog: 'tcp://log.example:601' };
    expect(set({ ...api, ...given }, long)).toMatchObject({
      trustedProxy: ['10.0.0.0/8', '::1'],
      auditSyslog: { kind: 'tcp', host: 'log.example', port: 601 },
    });
    for (const trustedProxy of ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '0.0.0.0/0', '::/0'])
      expect(() => set({ ...api, trustedProxy: [trustedProxy] }, long)).toThrow(trustedProxy);
    expect(() => set({ ...api, auditSyslog: 'log.example' }, long)).toThrow('is not udp://HOST:PORT');
  });

  it('reads tokens from files that are closed to others, several to join with', () => {
    const file = (name: string, text: string, mode = 0o600) => {
      writeFileSync(join(folder, name), text, { mode });
      return join(folder, name);
    };
    const one = file('one', 'hush\n');
    const several = file('several', `${'n'.repeat(32)}\n\n${'o'.repeat(32)}\n`);
    const api = { role: 'master,api', tokenFile: one, joinTokenFile: several };
    expect(set(api, {})).toMatchObject({
      token: 'hush',
      network: { token: 'n'.repeat(32), accepted: ['n'.repeat(32), 'o'.repeat(32)] },
    });
    expect(() => set({ ...api, token: 'x' }, {})).toThrow('--token and --token-file exclude each other');
    const wrong: [string, string][] = [
      [file('empty', '\n'), 'is empty; write the token into it'],
      [file('spaced', 'a b\n'), 'is no token'],
      [file('open', 'hush\n', 0o644), 'chmod 600'],
      [join(folder, 'nowhere'), 'ENOENT'],
    ];
    for (const [path, words] of wrong)
      expect(() => set({ role: 'master,api', tokenFile: path }, {})).toThrow(words);
    expect(() => set({ role: 'master,api', joinTokenFile: one, listen: '0.0.0.0:1' })).toThrow(
      'fewer than 16 characters',
    );
  });

  it('warns a worker whose join token its tasks may read', () => {
    const warned = (environment: Record<string, string>) => {
      const lines: string[] = [];
      const { settings, effective } = read({ options: { role: 'worker', join: ['m:1'] }, environment });
      nodeOptions(settings, effective, (_, text) => lines.push(text));
      return lines.filter((line) => line.includes('--join-token-file'));
    };
    expect(warned({ ORRERY_JOIN_TOKEN: 'x' })).toHaveLength(1);
    expect(warned({ ORRERY_JOIN_TOKEN_FILE: join(folder, 'one') })).toEqual([]);
  });

  it('says how tasks are kept apart, and what each may use', () => {
    const worker = { role: 'worker', join: ['m:1'] };
    expect(
      set({
        ...worker,
        isolation: 'user',
        tenant: ['etl', 'sales:shop'],
        taskMemory: '2GB',
        taskCpuTime: '1h',
      }),
    ).toMatchObject({
      isolation: 'user',
      tenants: ['etl', 'sales:shop'],
      taskLimits: { memory: 2_147_483_648, cpuTime: 3_600 },
    });
    expect(() => set({ ...worker, isolation: 'docker' })).toThrow(
      '--isolation: "docker" is none of none, user, namespaces',
    );
    expect(() => set({ ...worker, taskCpuTime: '100ms' })).toThrow('is not a number of whole seconds');
  });

  it('says that the API needs a token, or explicitly none on loopback', () => {
    const api = { role: ['master', 'api'] };
    expect(() => set(api, {})).toThrow(
      'the API needs a token: make one with "openssl rand -hex 32" and give it by --token-file or ORRERY_TOKEN; --no-token starts without one, on loopback only',
    );
    expect(() => set(api, { ORRERY_NO_TOKEN: 'false' })).toThrow('the API needs a token');
    expect(set(api, { ORRERY_TOKEN: 'hush' }).token).toBe('hush');
    for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', '::1'])
      expect(set({ ...api, host, noToken: true }, {}).token).toBeUndefined();
    for (const host of ['0.0.0.0', '::', '10.0.0.5', 'example.org'])
      expect(() => set({ ...api, host, noToken: true }, {})).toThrow(
        `--no-token is for loopback only; others can reach ${host}: give the API a token`,
      );
    expect(() => set({ ...api, noToken: true }, { ORRERY_TOKEN: 'hush' })).toThrow(
      'noToken (from option) and token (from ORRERY_TOKEN) exclude each other; remove one',
    );
    // One file for all processes: those without API need neither.
    expect(
      set({ role: ['worker'], join: ['m:1'] }, { ORRERY_NO_TOKEN: 'true', ORRERY_TOKEN: 'x' }).roles,
    ).toEqual(['worker']);
  });

  it('that lets everybody on the machine in is worth a warning', () => {
    const said: string[] = [];
    const { settings, effective } = read({ options: { role: ['master', 'api'], noToken: true } });
    nodeOptions(settings, effective, (level, text) => said.push(`${level}: ${text}`));
    expect(said).toEqual([
      'warn: --no-token: everyone who can reach the API can run commands as the user of the workers; it listens on loopback only',
    ]);
  });

  it('that opens a node to others without TLS is worth a warning', () => {
    const warned = (options: Sources['options']) => {
      const said: string[] = [];
      const { settings, effective } = read({
        options: { database: 'postgres://x', ...options },
        environment: { ORRERY_TOKEN: 'x' },
      });
      nodeOptions(settings, effective, (_, text) => said.push(text));
      return said.length > 0;
    };
    expect(warned({ role: ['master'], listen: '0.0.0.0:7071' })).toBe(true);
    expect(() => warned({ role: ['master'], listen: '0.0.0.0:7071', joinToken: 'hush' })).toThrow(
      'can be guessed',
    );
    expect(warned({ role: ['master'], listen: '127.0.0.1:7071', joinToken: 'hush' })).toBe(false);
    expect(warned({ role: ['master'], listen: '127.0.0.1:7071' })).toBe(false);
    expect(warned({ role: ['api'] })).toBe(false);
  });

  it('gives every process a name of its own that it keeps', () => {
    const database = 'postgres://x';
    const names = [
      set({ role: ['master'], database }),
      set({ role: ['master'], database, listen: '127.0.0.1:7081' }),
      set({ role: ['api'], database }),
      set({ role: ['worker'], join: ['m:1'], data: 'a' }),
      set({ role: ['worker'], join: ['m:1'], data: 'b' }),
    ].map(({ name }) => name);
    expect(new Set(names).size).toBe(5);
    expect(names[0]).toMatch(/-master-7071$/);
    expect(set({ role: ['worker'], join: ['m:1'], data: 'a' }).name).toBe(names[3]);
  });

  it('that is wrong ends the command with 2 and one line', async () => {
    const { code, err } = await orrery(['server', '--role', 'api', '--config', join(folder, 'nowhere.yaml')]);
    expect({ code, lines: err.split('\n').length }).toEqual({ code: 2, lines: 2 });
    expect(err).toContain('nowhere.yaml');
  });
});
