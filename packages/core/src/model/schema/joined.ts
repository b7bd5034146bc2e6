/**
 * Items joined by `all` or `any`, as dependent and conditions tasks write them:
 *
 *     all: [a, b, {any: [c, d]}]
 *
 * Plain items of a list form one group with the relation of the list; groups nest one level.
 */
import { z } from 'zod';
import { said } from '../../texts/index.ts';
import { isRecord } from '../outline.ts';
import { object, report } from './values.ts';

/** Items with a relation of their own. Part of the types of schemas made here. @public */
export interface Group<Item> {
  readonly relation: 'all' | 'any';
  readonly items: readonly Item[];
}

/** The keys `all` and `any` over items of one kind; exactly one must be present (`exactlyOne`). */
export function joinedKeys<Item extends z.ZodType<object>>(item: Item) {
  const items = z.array(item).min(1).optional();
  const group = object({ all: items, any: items })
    .superRefine(exactlyOne, whateverElse)
    .transform(
      ({ all, any }): Group<z.output<Item>> => ({ relation: all ? 'all' : 'any', items: all ?? any ?? [] }),
    );
  const list = z
    .array(z.union([item, group]))
    .min(1)
    .optional();
  return {
    all: list.describe('Each of these must hold. An item may be a group: {any: […]}.'),
    any: list.describe('One of these must hold. An item may be a group: {all: […]}.'),
  };
}

/** Runs a check of an object even if another part of it is wrong. */
export const whateverElse = { when: ({ value }: { value: unknown }) => isRecord(value) };

/** Refuses an object that has both `all` and `any`, or neither. */
export function exactlyOne(value: { all?: unknown; any?: unknown }, context: z.core.$RefinementCtx): void {
  if ((value.all === undefined) !== (value.any === undefined)) return;
  report(context, 'bad-value', value.all === undefined ? said('file.allOrAny') : said('file.allAndAny'));
}

/** The relation and the groups of a written list. */
export function joinedGroups<Item extends object>(value: {
  all?: readonly (Item | Group<Item>)[];
  any?: readonly (Item | Group<Item>)[];
}): { relation: 'all' | 'any'; groups: Group<Item>[] } {
  const relation = value.all ? 'all' : 'any';
  const plain: Item[] = [];
  const groups: Group<Item>[] = [];
  for (const entry of value.all ?? value.any ?? []) {
    if (isGroup(entry)) groups.push(entry);
    else plain.push(entry);
  }
  if (plain.length > 0) groups.unshift({ relation, items: plain });
  return { relation, groups };
}

function isGroup<Item extends object>(entry: Item | Group<Item>): entry is Group<Item> {
  return 'items' in entry;
}
