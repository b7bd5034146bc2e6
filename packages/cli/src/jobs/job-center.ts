/** A namespace of elastic jobs, as the setting `jobs` names it. */
import { InvalidInput } from '@orrery/core/errors';

export interface JobCenter {
  readonly name: string;
  readonly url: string;
  readonly namespace: string;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u;

/**
 * Reads `billing=postgres://host/db`, or `west=postgres://host/db#billing`. For ElasticJob's users also
 * `zookeeper://host/billing`. Never shows the url: it may hold a password.
 */
export function jobCenter(given: string): JobCenter {
  const [, server, last] = /^(zookeeper:\/\/[^/?#]+(?:\/[^?#]+)?)\/([^/?#]+)$/.exec(given) ?? [];
  if (server && NAME.test(last)) return { name: last, url: server, namespace: last };
  const [, name = '', url = '', namespace = name] = /^([^=]*)=([^#]*)(?:#(.*))?$/.exec(given) ?? [];
  if (!NAME.test(name) || !NAME.test(namespace) || !/^(postgres(ql)?|zookeeper|etcd|memory):/.test(url))
    throw new InvalidInput(
      'write NAMESPACE=URL, NAME=URL#NAMESPACE or zookeeper://HOST/NAMESPACE; a url begins with postgres://, etcd:// or zookeeper://',
    );
  return { name, url, namespace };
}

/** Refuses two centers under one name. */
export function checkCenters(centers: readonly JobCenter[]): readonly JobCenter[] {
  const names = centers.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new InvalidInput(`two namespaces are named ${twice}; write NAME=URL#NAMESPACE`, '--jobs');
  return centers;
}
