import { conformance } from '../testing/conformance.ts';
import { memoryStage } from '../testing/servers.ts';

conformance(memoryStage());
