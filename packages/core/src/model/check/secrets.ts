/** Checks that secrets are used only where they are filled in, and have valid names. */
import { isSecretName, secretsNamed } from '../../params/index.ts';
import { type Said, said } from '../../texts/index.ts';
import { isLogicType } from '../glossary.ts';
import { entryAt, type Found, type Outline } from '../outline.ts';
import type { Path, Report } from '../problem.ts';

/** Reports invalid secret names, and secrets in places where none is filled in. */
export function checkSecrets(outline: Outline, report: Report): void {
  checkNames({ value: outline.keys.params, path: ['params'] }, report);
  for (const schedule of outline.schedules)
    refuse(entryAt(schedule, 'params'), said('file.scheduleValues'), report);
  for (const task of outline.tasks) {
    checkNames({ value: task.keys.params, path: [...task.path, 'params'] }, report);
    if (task.type !== undefined && isLogicType(task.type))
      refuse(task.with, said('file.masterTask', { type: task.type }), report);
    else checkNames(task.with, report);
  }
}

function checkNames(found: Found, report: Report): void {
  for (const { name, path } of secretsIn(found)) {
    if (isSecretName(name)) continue;
    report(path, 'bad-secret', said('param.secretName', { name: JSON.stringify(name) }));
  }
}

function refuse(found: Found, where: Said, report: Report): void {
  for (const { name, path } of secretsIn(found))
    report(path, 'bad-secret', said('file.secretHere', { name, where }));
}

interface Named {
  readonly name: string;
  readonly path: Path;
}

/** All secrets named in a value, at any depth. */
function secretsIn({ value, path }: Found): Named[] {
  if (typeof value === 'object' && value !== null) {
    const list = Array.isArray(value);
    return Object.entries(value).flatMap(([key, entry]) =>
      secretsIn({ value: entry, path: [...path, list ? Number(key) : key] }),
    );
  }
  if (typeof value !== 'string' || !value.includes('{secret.')) return [];
  return secretsNamed(value).map((name) => ({ name, path }));
}
