/**
 * Follows a page of the documentation as a reader would: writes its files, types its commands and compares what they
 * print. `…` in an output means anything. A block of one command that starts a server leaves that running.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What a page has people do. */
export type Step =
  | { readonly file: string; readonly text: string }
  | { readonly command: string; readonly output: string };

/** The steps of a page, in order. A block of code begins with the name of its file. */
export function stepsOf(page: string): Step[] {
  return [...page.matchAll(/^```(yaml|ts|console)\n(.*?)^```$/gms)].flatMap(([, kind, block]): Step[] => {
    if (kind !== 'console') {
      const [head, ...lines] = block.split('\n');
      return [{ file: head.replace(/^(#|\/\/) /, ''), text: lines.join('\n') }];
    }
    return block
      .split(/^\$ /m)
      .slice(1)
      .map((example) => {
        const [command, ...lines] = example.split('\n');
        return { command, output: lines.join('\n').trimEnd() };
      });
  });
}

/** An output as a page shows it; blanks may be more. */
export function patternOf(shown: string): RegExp {
  const escaped = (part: string) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&').replace(/ {2,}/g, ' +');
  return new RegExp(`^${shown.split('…').map(escaped).join('[\\s\\S]*')}\\s*$`);
}

/** A reader in a folder. */
export class Reader {
  private readonly folder: string;
  private readonly environment: NodeJS.ProcessEnv;
  private readonly servers: ChildProcess[] = [];

  constructor(folder: string, environment: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.environment = environment;
  }

  write(file: string, content: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), content);
  }

  /** Types a command; all it printed. One that fails is an error. */
  async type(command: string): Promise<string> {
    const child = this.spawn(command);
    const [printed, said, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    if (code !== 0) throw new Error(`${command}: ended with ${code}\n${printed}${said}`);
    return printed;
  }

  /** Starts a server, waits until it reports that it is ready, and returns its output. */
  async start(command: string): Promise<string> {
    const child = this.spawn(command);
    this.servers.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        printed += piece;
        if (/orrery is ready[^\n]*\n/.test(printed)) child.emit('ready');
      });
    await Promise.race([
      once(child, 'ready'),
      once(child, 'close').then(() => {
        throw new Error(`${command}: ended before it was ready\n${printed}`);
      }),
    ]);
    return printed;
  }

  /** Stops all servers, as Ctrl-C does. */
  async stop(): Promise<void> {
    const running = this.servers.splice(0).filter(({ exitCode, signalCode }) => !exitCode && !signalCode);
    await Promise.all(
      running.map(async (child) => {
        child.kill('SIGINT');
        await once(child, 'close');
      }),
    );
  }

  // `exec` and no npx: a signal then reaches the program itself.
  private spawn(command: string) {
    const direct = command.replace(/^npx orrery /, 'exec ./node_modules/.bin/orrery ');
    return spawn('sh', ['-c', direct], {
      cwd: this.folder,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}
