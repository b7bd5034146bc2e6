/** The checks of `orrery doctor`: each reports a state in one line and, if it is wrong, the remedy. */
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { usableKinds } from '@orrery/tasks/drivers';
import { type Connection, connect } from '../client/connect.ts';
import { timeText } from '../client/output.ts';
import { tellCall } from '../client/told.ts';
import { foreignOwner, isOpenToOthers, sharedFolder } from '../node/data-folder.ts';

/** What one check found. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

const OLDEST_NODE = 24;
const GIBIBYTE = 1024 ** 3;

/** Below this a server may soon be unable to write. */
const LEAST_FREE = GIBIBYTE;

/** Whether this Node can run Orrery. */
export function checkNode(version = process.version): Finding {
  const ok = Number(version.slice(1).split('.')[0]) >= OLDEST_NODE;
  return {
    name: 'node',
    ok,
    text: ok ? version : `this is ${version}; install Node ${OLDEST_NODE} or newer`,
  };
}

/** Where this process keeps compiled code. Without it everything works, and starts more slowly. */
export function checkCompileCache(): Finding {
  const used = getCompileCacheDir();
  const text = used
    ? dirname(used)
    : 'off: it needs ~/.cache/orrery (or orrery in XDG_CACHE_HOME) with mode 700, where no other user can replace it';
  return { name: 'compile cache', ok: true, text };
}

/** Kinds of connections that tasks here cannot use before a package is installed; none has to be. */
export function checkDrivers(codeFolder: string): Finding {
  return { name: 'connections', ok: true, text: usableKinds(codeFolder) };
}

/** Most references that a finding names. */
const SHOWN = 20;

/** References of live workflows that are refused now: to other projects, to worker groups and to environments. */
export async function checkReferences(connection: Connection): Promise<Finding[]> {
  const answer = await connect(connection)
    .listRefusedCalls()
    .catch(() => undefined);
  // A server of another version may not have it, or only a part of it.
  const calls = answer?.calls?.map(
    ({ from, project, name, as }) => `${from.project}/${from.name} -> ${project}/${name} (${as})`,
  );
  const uses = answer?.uses?.map(
    ({ from, kind, name }) =>
      `${from.project}/${from.name} -> ${kind === 'environment' ? kind : 'worker group'} ${name}`,
  );
  return [
    ...finding(
      'calls between projects',
      calls,
      'every reference to another project is allowed',
      'refused until the target has the project in "callableFrom"',
    ),
    ...finding(
      'worker groups and environments',
      uses,
      'every workflow may use those that it names',
      'refused until they are open to the project (orrery worker-groups set, orrery environments set)',
    ),
  ];
}

function finding(
  name: string,
  refused: readonly string[] | undefined,
  well: string,
  wrong: string,
): Finding[] {
  if (!refused) return [];
  if (refused.length === 0) return [{ name, ok: true, text: well }];
  const more = refused.length > SHOWN ? ' and more' : '';
  return [{ name, ok: false, text: `${wrong}: ${refused.slice(0, SHOWN).join(', ')}${more}` }];
}

/** Whether the server answers and reaches its store. */
export async function checkServer(connection: Connection): Promise<Finding> {
  const name = 'server';
  try {
    const health = await connect(connection).checkHealth();
    return {
      name,
      ok: true,
      text: `Orrery ${health.version} on ${health.store}, since ${timeText(health.since)}`,
    };
  } catch (error) {
    const text = tellCall(error as Error)?.line ?? (error as Error).message;
    return { name, ok: false, text };
  }
}

/**
 * Whether a server could write there, and no other user read. Tested by writing: permissions do not reveal a
 * read-only disk.
 */
export function checkData(folder: string): Finding {
  const name = 'data folder';
  const there = nearest(folder);
  try {
    if (!statSync(there).isDirectory())
      return { name, ok: false, text: `${there} is a file; name a folder with --data` };
    if (there !== folder) accessSync(there, constants.W_OK);
    else rmSync(mkdtempSync(join(folder, 'doctor-')), { recursive: true });
  } catch (error) {
    const reason = (error as Error).message;
    return { name, ok: false, text: `${reason}; let this user write there, or name another with --data` };
  }
  if (there !== folder) return { name, ok: true, text: `${folder} is not there yet, and can be made` };
  const fault = foreignOwner(folder) ?? sharedFolder(folder) ?? openText(folder);
  return { name, ok: fault === undefined, text: fault ?? `${folder} is writable, and closed to other users` };
}

/** Whether other users can read the secrets; nothing to say where they come from the environment. */
export function checkSecrets(folder: string | undefined): Finding | undefined {
  if (!folder) return undefined;
  const name = 'secrets';
  if (!existsSync(folder)) return { name, ok: false, text: `${folder} is not there; make it, with mode 700` };
  const fault = openText(folder);
  return { name, ok: fault === undefined, text: fault ?? `${folder} is closed to other users` };
}

function openText(folder: string): string | undefined {
  return isOpenToOthers(realpathSync(folder))
    ? `${folder} is open to other users; run: chmod 700 ${folder}`
    : undefined;
}

/** Whether there is room to write. */
export function checkDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(nearest(folder));
  const free = bavail * bsize;
  const text = `${(free / GIBIBYTE).toFixed(1)} GiB free for ${folder}`;
  const ok = free >= LEAST_FREE;
  return {
    name: 'disk',
    ok,
    text: ok ? text : `only ${text}; free some, or name another folder with --data`,
  };
}

/** The folder, or the nearest one above it that exists. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}
