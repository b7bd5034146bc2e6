import { describe, expect, it } from 'vitest';
import { kindOf, parseAddress, publicUrl } from './address.ts';
import { openRegistry } from './open.ts';

describe('registry urls', () => {
  it('names several hosts, with default ports, credentials and a root', () => {
    expect(parseAddress('zookeeper://ann:p%40ss%3Aw@h1,h2:2182,[::1]:9/a/b/')).toEqual({
      kind: 'zookeeper',
      hosts: [
        { host: 'h1', port: 2181 },
        { host: 'h2', port: 2182 },
        { host: '::1', port: 9 },
      ],
      user: 'ann',
      password: 'p@ss:w',
      root: '/a/b',
      tls: undefined,
    });
    expect(parseAddress('etcd://h1?tls=true')).toMatchObject({ hosts: [{ port: 2379 }], root: '/', tls: {} });
    expect(kindOf('postgresql://h/db')).toBe('postgres');
  });

  it('refuses what it does not know, without showing credentials', () => {
    for (const url of [
      'consul://ann:pw@h',
      'zookeeper://ann:pw@h?nonsense=1',
      'etcd://ann:pw@h:x',
      'etcd:h',
    ]) {
      const attempt = () => parseAddress(url);
      expect(attempt).toThrow(/a registry url looks like/);
      expect(attempt).not.toThrow(/pw/);
    }
  });

  it('shows people a url without credentials and parameters', () => {
    expect(publicUrl('postgres://ann:pw@h/db?sslmode=require')).toBe('postgres://h/db');
  });

  it('shares a memory tree by its name', async () => {
    const [a, b, other] = await Promise.all(
      ['memory:one', 'memory:one', 'memory:two'].map((url) => openRegistry(url)),
    );
    await a.create('/x', '1');
    expect([(await b.get('/x'))?.value, await other.get('/x')]).toEqual(['1', undefined]);
    await Promise.all([a, b, other].map((registry) => registry.close()));
  });
});
