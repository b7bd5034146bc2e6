/** Instances of Java's ElasticJob for tests and benchmarks: installs what they need, and builds `java/`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install } from '../../../scripts/services/install.ts';
import { maven } from '../../../scripts/services/tools.ts';

/** Builds the class and fetches its libraries; the command that runs it, before its arguments. */
export async function elasticJobInstance(): Promise<readonly string[]> {
  await install([maven]);
  const project = join(import.meta.dirname, '../java');
  const build = join(import.meta.dirname, '../../../.services/java');
  const where = [`-Dbuild.folder=${build}`, `-DoutputDirectory=${join(build, 'lib')}`];
  const goals = ['compile', 'dependency:copy-dependencies'];
  await promisify(execFile)('mvn', ['-q', '-B', '-f', project, ...where, ...goals]);
  return ['java', '-Xmx128m', '-cp', `${join(build, 'classes')}:${join(build, 'lib')}/*`, 'SharedJob'];
}
