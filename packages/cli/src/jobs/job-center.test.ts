import { expect, it } from 'vitest';
import { checkCenters, jobCenter } from './job-center.ts';

it('reads a namespace and where it is', () => {
  expect(jobCenter('billing=postgres://h/db')).toEqual({
    name: 'billing',
    url: 'postgres://h/db',
    namespace: 'billing',
  });
  expect(jobCenter('west=etcd://h#billing')).toMatchObject({ name: 'west', namespace: 'billing' });
  expect(jobCenter('zookeeper://h1:2181,h2/billing')).toEqual({
    name: 'billing',
    url: 'zookeeper://h1:2181,h2',
    namespace: 'billing',
  });
  expect(jobCenter('zookeeper://u:p@h/apps/billing')).toMatchObject({
    url: 'zookeeper://u:p@h/apps',
    namespace: 'billing',
  });
});

it.each(['', 'billing', 'zookeeper://h', 'zookeeper://h/', 'postgres://h/db', 'a=ftp://h', 'a/b=etcd://h'])(
  'refuses "%s" without showing it',
  (given) => {
    expect(() => jobCenter(given)).toThrow('write NAMESPACE=URL');
  },
);

it('refuses two of one name', () => {
  const one = jobCenter('zookeeper://h/billing');
  expect(() => checkCenters([one, one])).toThrow('two namespaces are named billing');
});
