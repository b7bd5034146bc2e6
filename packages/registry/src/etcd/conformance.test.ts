import { etcd } from '../../../../scripts/services/etcd.ts';
import { conformance } from '../testing/conformance.ts';
import { serverStage } from '../testing/servers.ts';

conformance(serverStage('etcd', etcd, 2_000, (address, tree) => `etcd://${address}/${tree}`));
