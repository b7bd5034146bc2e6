/** The one process of `orrery dev`: every role, joined without a network. */

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Log } from '@orrery/core/log';
import { networkDefaults } from '@orrery/wire/network-options';
import { requireFolder } from '../node/folders.ts';
import { type Node, startNode } from '../node/node.ts';
import { type NodeOptions, roles } from '../node/options.ts';
import { secretReader } from '../node/secrets.ts';

/** How the process is set up. */
export interface LocalNodeOptions {
  /** Where the database, logs and work files lie. */
  readonly folder: string;
  /** A PostgreSQL database instead of the embedded one. */
  readonly database?: string;
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
  readonly slots?: number;
  /** Where modules of `node` tasks and plugins are found. */
  readonly codeFolder: string;
  readonly plugins: readonly string[];
  /** Namespaces of elastic jobs that it shows. */
  readonly jobs?: NodeOptions['jobs'];
  /** The folder of secrets; without it they come only from the environment. */
  readonly secrets?: string;
  readonly console?: NodeOptions['console'];
  /** The settings as `orrery doctor` shows them. */
  readonly config?: NodeOptions['config'];
  readonly log: Log;
}

/** A running process. */
export interface LocalNode extends Node {
  readonly url: string;
}

/** Starts everything. Tasks are killed at once when it stops, since the user is waiting. */
export async function startLocalNode(options: LocalNodeOptions): Promise<LocalNode> {
  requireFolder(options.codeFolder, '--code');
  requireFolder(options.secrets, '--secrets');
  const { url = '', ...node } = await startNode({
    ...options,
    roles,
    name: nameOf(options.folder),
    network: networkDefaults,
    join: [],
    stopGrace: 0,
    readSecret: secretReader({ folder: options.secrets, environment: process.env }),
    dev: true,
  });
  return { ...node, url };
}

/** One name a data folder: a worker kills what an earlier one of its name has left on this machine. */
function nameOf(folder: string): string {
  return `local-${createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 8)}`;
}
