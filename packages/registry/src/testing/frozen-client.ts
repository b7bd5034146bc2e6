/** A process with one client, to be frozen by a test: prints its state in every turn, and every change it is told of. */
import { openRegistry } from '../open.ts';

const [url, timeout] = process.argv.slice(2);
const registry = await openRegistry(url, { sessionTimeout: Number(timeout) });
const print = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);
registry.session.onState((told) => print({ told }));
await registry.create('/live/child', '', { ephemeral: true });
setInterval(() => print({ turn: registry.session.state }), 20);
