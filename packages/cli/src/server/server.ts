/** `orrery server`: a process of a cluster with its configured roles, until it is stopped. */
import { keepCompiled } from '../node/keep-compiled.ts';
import { startNode } from '../node/node.ts';
import { announcer, openLog } from '../node/open-log.ts';
import { signalled } from '../node/signals.ts';
import { readConfigFile } from './config-file.ts';
import { nodeOptions } from './node-options.ts';
import { readSettings, type Sources } from './settings.ts';

/** Runs until a signal. Exits with code 1 when it can no longer work, so that its supervisor restarts it. */
export async function server({
  config = process.env.ORRERY_CONFIG,
  ...options
}: Sources['options'] & { readonly config?: string }): Promise<void> {
  const file = config ? { path: config, values: readConfigFile(config) } : undefined;
  const { settings, effective } = readSettings({ options, environment: process.env, file });
  const { logFormat: format = 'text', logLevel: level = 'info' } = settings;
  const log = await openLog({ format, level, dated: true });
  const announce = announcer(format, log);
  const node = await startNode(nodeOptions(settings, effective, log));
  const asked = signalled().then((signal) => ({ reason: signal, failed: false }));
  const over = node.over.then((reason) => ({ reason, failed: true }));
  void node.ready.then(() => {
    announce(`orrery is ready: ${node.about.join('; ')}`);
    keepCompiled();
  });
  const { reason, failed } = await Promise.race([asked, over]);
  announce(`stopping: ${reason}`);
  if (failed) process.exitCode = 1;
  await node.stop();
}
