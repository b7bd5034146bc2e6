/** Where ElasticJob keeps the things of a job: `/<namespace>/<job>/…`. No other path is ever written. */
export class ElasticJobPaths {
  readonly namespace: string;
  /** Its value is the class of the job. */
  readonly root: string;
  readonly config: string;
  readonly servers: string;
  readonly instances: string;
  readonly electionLatch: string;
  readonly leader: string;
  readonly necessary: string;
  readonly processing: string;
  readonly failoverItems: string;
  readonly failoverLatch: string;
  readonly sharding: string;
  readonly triggers: string;
  readonly guarantee: string;
  readonly time: string;

  constructor(namespace: string, job: string) {
    this.namespace = `/${namespace}`;
    this.root = `${this.namespace}/${job}`;
    this.config = `${this.root}/config`;
    this.servers = `${this.root}/servers`;
    this.instances = `${this.root}/instances`;
    this.electionLatch = `${this.root}/leader/election/latch`;
    this.leader = `${this.root}/leader/election/instance`;
    this.necessary = `${this.root}/leader/sharding/necessary`;
    this.processing = `${this.root}/leader/sharding/processing`;
    this.failoverItems = `${this.root}/leader/failover/items`;
    this.failoverLatch = `${this.root}/leader/failover/latch`;
    this.sharding = `${this.root}/sharding`;
    this.triggers = `${this.root}/trigger`;
    this.guarantee = `${this.root}/guarantee`;
    this.time = `${this.root}/systemTime/current`;
  }

  shard(
    shard: number,
    name: 'instance' | 'running' | 'misfire' | 'disabled' | 'failover' | 'failovering',
  ): string {
    return `${this.sharding}/${shard}/${name}`;
  }
}

/** Whether an instance is a Java one, whose id ends with a process number; the ids of ours are longer. */
export function isJava(instance: string): boolean {
  return /@-@\d+$/.test(instance);
}

/** The address that is part of an instance's id. */
export function serverOf(instance: string): string {
  return instance.split('@-@')[0];
}
