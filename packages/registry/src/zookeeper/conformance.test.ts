import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { conformance } from '../testing/conformance.ts';
import { serverStage } from '../testing/servers.ts';

conformance(serverStage('zookeeper', zookeeper, 1_500, (address, tree) => `zookeeper://${address}/${tree}`));
