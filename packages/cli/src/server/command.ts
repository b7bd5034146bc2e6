/** Declares `orrery server`; what it does is loaded when it is called. */
import { type Command, Option } from 'commander';
import { flagOf, type Spec, specs, variableOf } from './setting-specs.ts';

/** Adds `server` to the program. Defaults are left to the settings, which know where a value comes from. */
export function addServer(program: Command): void {
  const command = program
    .command('server')
    .description('run one process of a cluster: a master, a worker, the API, or several of them')
    .option('--config <file>', 'a file with settings, YAML or JSON (env: ORRERY_CONFIG)');
  for (const [name, spec] of Object.entries<Spec<unknown>>(specs)) {
    const byDefault = spec.otherwise === undefined ? '' : `default: ${spec.otherwise}, `;
    const option = new Option(
      spec.value === undefined ? flagOf(name) : `${flagOf(name)} <${spec.value}>`,
      `${spec.text} (${byDefault}env: ${variableOf(name)})`,
    );
    // Commander takes --no-token for --token turned off; here it is a setting of its own.
    option.negate = false;
    if (spec.list) option.argParser((value, earlier: string[] | undefined) => [...(earlier ?? []), value]);
    command.addOption(option);
  }
  command.action(async (options) => (await import('./server.ts')).server(options));
}
