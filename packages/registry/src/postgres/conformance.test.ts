import { postgres } from '../../../../scripts/services/postgres.ts';
import { conformance } from '../testing/conformance.ts';
import { serverStage } from '../testing/servers.ts';

conformance(
  serverStage(
    'postgres',
    postgres,
    1_500,
    (address, tree) => `postgres://postgres@${address}/postgres?schema=${tree}`,
  ),
);
