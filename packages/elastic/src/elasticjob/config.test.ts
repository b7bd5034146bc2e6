import { type Job, parseJob } from '@orrery/core/model';
import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/elasticjob-config-yaml.json' with { type: 'json' };
import { editConfig, readConfig, readInstance, writeConfig, writeInstance } from './config.ts';

const zone = 'Asia/Shanghai';
const read = (text: string) => readConfig('ns', text, '/ns/j/config', zone);

function job(more: Record<string, unknown>): Job {
  const { job: parsed, problems } = parseJob({
    name: 'j',
    namespace: 'ns',
    timezone: zone,
    shards: 1,
    cron: '0/5 * * * * ?',
    ...more,
  });
  if (!parsed) throw new Error(JSON.stringify(problems));
  return parsed;
}

const texts = vectors.filter(({ value }) => value !== 'FULL');
const full = vectors.find(({ value }) => value === 'FULL')?.yaml ?? '';

describe('the config entry of ElasticJob', () => {
  it.each(texts)('writes $value as Java does', ({ value, yaml }) => {
    const described = { ...job({}), description: value, parameter: value, props: { k: value, 'a.b': value } };
    expect(writeConfig(described, zone)).toBe(yaml);
  });

  it.each(texts)('reads $value as Java does', ({ value, yaml, roundTripDescription }) => {
    const stored = read(yaml);
    expect(stored.description ?? '').toBe(roundTripDescription);
    expect(stored.parameter ?? '').toBe(value);
    // Java reads binary props as bytes and shows their address; the text is of more use.
    expect(stored.props).toEqual({ k: value, 'a.b': value });
    expect(stored).toMatchObject({ misfire: true, monitorExecution: true, reconcileInterval: 600_000 });
  });

  it('leaves out parameters of shards that are not there, and keeps their text', () => {
    const text = 'jobName: j\nshardingItemParameters: 0=A,1=B\nshardingTotalCount: 1\n';
    expect(read(text).shardParameters).toEqual({ 0: 'A' });
    const changed = { ...read(text), misfire: true };
    expect(editConfig(text, changed, '/ns/j/config', zone)).toContain('shardingItemParameters: 0=A,1=B\n');
  });

  it('reads every key that a job has', () => {
    expect(read(full)).toMatchObject({
      name: 'full',
      description: 'd',
      disabled: true,
      // Java fails over only what it monitors.
      failover: false,
      monitorExecution: false,
      misfire: false,
      overwrite: true,
      parameter: 'p',
      strategy: 'rotate',
      maxTimeDiff: 60_000,
      reconcileInterval: 60_000,
      shardParameters: { 0: 'A', 1: 'B', 2: 'C' },
      shards: 3,
      staticSharding: true,
      timezone: '+08:00',
      props: { k: 'v' },
    });
  });

  it('changes only what was edited: all else stays byte for byte, keys of others too', () => {
    const tracing =
      'jobExtraConfigurations:\n- !!org.apache.shardingsphere.elasticjob.tracing.yaml.YamlTracingConfiguration\n  tracingStorageConfiguration: {type: RDB}\n  type: "RDB"\n';
    const stored = full.replace('jobListenerTypes:', `${tracing}jobListenerTypes:`);
    expect(editConfig(stored, read(stored), 'p', zone)).toBe(stored);
    const edited = editConfig(stored, { ...read(stored), shards: 5, cron: undefined, props: {} }, 'p', zone);
    expect(edited).toBe(
      stored
        .replace('cron: 0/5 * * * * ?\n', '')
        .replace('props:\n  k: v\n', '')
        .replace('shardingTotalCount: 3', 'shardingTotalCount: 5'),
    );
    expect(editConfig(edited, { ...read(edited), cron: '0 0 1 * * ?' }, 'p', zone)).toBe(
      `cron: 0 0 1 * * ?\n${edited}`,
    );
  });

  it('reads what is missing as Java does, not as its builder', () => {
    expect(read('jobName: j\nshardingTotalCount: 2\n')).toMatchObject({
      misfire: false,
      monitorExecution: false,
      reconcileInterval: 0,
      timezone: zone,
      strategy: 'average',
    });
  });

  it('reads JSON, and refuses to edit it', () => {
    const json = '{"jobName":"j","shardingTotalCount":2,"description":7}';
    expect(read(json)).toMatchObject({ shards: 2, description: '7' });
    expect(() => editConfig(json, { ...read(json), shards: 3 }, 'p', zone)).toThrow('cannot be edited');
  });

  it('names the entry that it cannot read', () => {
    expect(() => read('jobName: [')).toThrow('/ns/j/config');
    expect(() => read('jobName: j\nshardingTotalCount: many\n')).toThrow('shardingTotalCount "many"');
    expect(() => writeConfig({ ...job({}), shardParameters: { 0: 'a,b' } }, zone)).toThrow('shard 0');
  });
});

it('writes and reads instances as Java does', () => {
  const text = 'jobInstanceId: 10.0.0.1@-@123\nserverIp: 10.0.0.1\n';
  expect(writeInstance('10.0.0.1@-@123', '10.0.0.1')).toBe(text);
  expect(readInstance(text, 'p')).toEqual({ server: '10.0.0.1' });
  expect(readInstance('{"jobInstanceId":"10.9.9.9@-@77","serverIp":"10.9.9.9"}', 'p')).toEqual({
    server: '10.9.9.9',
  });
});
