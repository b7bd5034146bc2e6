/**
 * The base of task types that run another product's command with a settings file. A pure function builds the
 * command line, so that it can be compared with that product's documentation.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePlugin, type Plugin, type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import type { z } from 'zod';
import { givenConnection } from '../connections/given.ts';
import { exitText } from '../exit-text.ts';
import { type Applications, answerOf, applicationTag, endAll, follow } from './applications.ts';

/** A command line, and the files it needs. */
interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  /** Files in the work folder, by name; only the worker's user can read them. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a type of this kind is. */
export interface CommandType<Schema extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: Schema;
  /**
   * Builds the command line; `file` returns the path of one of its files, `tag` identifies the attempt's task
   * permanently.
   */
  line(settings: z.output<Schema>, places: CommandPlaces): CommandLine;
  /** Where its command starts something that goes on without it. */
  cluster?(settings: z.output<Schema>): Cluster | undefined;
  /** Looks at what the command left, when it has succeeded. */
  finished?(context: TaskContext<z.output<Schema>>): void;
}

/** What a command starts on a cluster. */
interface Cluster {
  /**
   * `tag`: the command lasts as long as the application, which is found by the tag it was submitted with. `answer`: the
   * command ends once the application is submitted, and its answer names it.
   */
  readonly by: 'tag' | { readonly answer: RegExp };
  /** Whether it goes on without the command; if not, the next attempt ends the rest of it and starts over. */
  readonly outlives: boolean;
  /** What the handle of it names, the tag or the word of the answer. */
  find(name: string): Applications;
}

/** Where a command finds its files, and what it is called elsewhere. */
interface CommandPlaces {
  file(name: string): string;
  /** Names what this attempt starts on a cluster. */
  readonly tag: string;
  /** A connection of one of these kinds. */
  connection(name: string, kinds: readonly string[]): { kind: string; settings: Record<string, unknown> };
}

/** Makes the task type. */
export function commandTask<Schema extends z.ZodType>(type: CommandType<Schema>): Plugin {
  const { name, title, description, schema } = type;
  return definePlugin({
    name,
    title,
    description,
    schema,
    async run(context) {
      const { with: settings, workDir, attempt, handle, hold, note, exec } = context;
      const cluster = type.cluster?.(settings);
      if (cluster && handle !== undefined) {
        const left = cluster.find(handle);
        const found = await left.look(context);
        if (!cluster.outlives) await endAll(context, left);
        // One that ended badly may have ended with its worker: the attempt begins again.
        else if (found.some(({ running, succeeded }) => running || succeeded)) {
          await hold(handle);
          note(`goes on with ${handle}, which an earlier attempt has started`);
          await follow(context, left);
          return;
        }
      }
      const tag = applicationTag(attempt);
      const { command, args, files, environment } = type.line(settings, {
        file: (file) => join(workDir, file),
        tag,
        connection: (given, kinds) => givenConnection(context, given, kinds),
      });
      for (const [file, text] of Object.entries(files ?? {}))
        writeFileSync(join(workDir, file), text, { mode: 0o600 });
      note([command, ...args].map(shown).join(' '));
      if (cluster && cluster.by !== 'tag') {
        const [, name] =
          cluster.by.answer.exec(await answerOf(context, command, args, { loud: true, environment })) ?? [];
        if (name === undefined) throw new TaskFailure('its answer names nothing to follow');
        await hold(name);
        await follow(context, cluster.find(name));
        return;
      }
      if (cluster) await hold(tag, { outlives: cluster.outlives });
      const code = await exec(command, args, { environment });
      if (code !== 0) throw new TaskFailure(exitText(code));
      type.finished?.(context);
    },
    async end(context, handle) {
      const cluster = type.cluster?.(context.with);
      if (cluster) await endAll(context, cluster.find(handle));
    },
  } as Plugin<Schema>);
}

/** An argument as a shell would need it. */
function shown(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `[option, value]`, or nothing where there is no value. */
export function option(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [name, String(value)];
}

/** An option for each entry: `--conf k=v`. */
export function pairs(name: string, values: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(values).flatMap(([key, value]) => [name, `${key}=${value}`]);
}
