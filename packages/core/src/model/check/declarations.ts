/** Checks that the defaults and options of declared parameters fit their type. */
import { coerce } from '../../params/index.ts';
import { said } from '../../texts/index.ts';
import { type ParameterType, parameterTypes } from '../glossary.ts';
import { entriesAt, entryAt, type Found, isRecord, itemsAt } from '../outline.ts';
import { type Report, reportRefusal } from '../problem.ts';

/** Reports declarations whose default or options could never be accepted. */
export function checkDeclarations(params: Found, report: Report): void {
  for (const entry of entriesAt(params)) {
    const type = isRecord(entry.value) ? (entry.value.type ?? 'string') : undefined;
    if (!isParameterType(type)) continue;
    const options = optionsOf(entry, type, report);
    checkPattern(entryAt(entry, 'pattern'), report);
    const { value, path } = entryAt(entry, 'default');
    const literal = literalOf(value);
    if (Array.isArray(value) && type !== 'list' && type !== 'json') {
      report(path, 'bad-default', said('file.defaultList'));
    } else if (literal !== undefined) {
      reportRefusal(report, path, 'bad-default', () => {
        const coerced = coerce(type, literal);
        const chosen = Array.isArray(coerced) ? coerced.map(String) : [literal];
        const other = options && chosen.find((one) => !options.includes(one));
        if (other !== undefined)
          report(path, 'bad-default', said('file.notAnOption', { value: other, options: options ?? [] }));
      });
    }
  }
}

function checkPattern({ value, path }: Found, report: Report): void {
  if (typeof value !== 'string') return;
  try {
    new RegExp(value, 'u');
  } catch (error) {
    report(path, 'bad-value', said('file.badPattern', { error: (error as Error).message }));
  }
}

function optionsOf(entry: Found, type: ParameterType, report: Report): string[] | undefined {
  const { value, path } = entryAt(entry, 'options');
  if (!Array.isArray(value)) return undefined;
  return itemsAt(value, path).flatMap((option) => {
    const literal = literalOf(option.value);
    if (literal === undefined) return [];
    reportRefusal(report, option.path, 'bad-value', () => coerce(type, literal));
    return [literal];
  });
}

/** The text of a literal value; the value of a placeholder is known only at run time. */
function literalOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return JSON.stringify(value.map(String));
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return scalar && !/\$[{[]/.test(String(value)) ? String(value) : undefined;
}

function isParameterType(type: unknown): type is ParameterType {
  return (parameterTypes as readonly unknown[]).includes(type);
}
