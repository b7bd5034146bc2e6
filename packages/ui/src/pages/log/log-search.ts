/** The search parameters of a log's address: the attempt, lines, the searched text, and display options. */
import { oneOf, type SearchOf, textField } from '../../app/search-fields.ts';
import type { SetSearch } from '../../app/use-search.ts';
import type { AnswerOf } from '../../data/client.ts';
import { filterLevels } from '../../model/log-line.ts';

/** The tabs beside a log. */
export const sideTabs = ['command', 'environment', 'outputs', 'use', 'attempts'] as const;

/** How the lines of all shards stand: in one log, or a log after the other. */
const shardOrders = ['time', 'shard'] as const;
export type ShardOrder = (typeof shardOrders)[number];

export const logFields = {
  attempt: textField(10),
  shard: textField(10),
  by: oneOf(shardOrders),
  line: textField(30),
  q: textField(),
  level: oneOf(filterLevels),
  follow: oneOf(['on', 'off']),
  wrap: oneOf(['on']),
  details: oneOf(sideTabs),
  compare: textField(10),
};

/** The values of the address. */
export type LogSearch = SearchOf<typeof logFields>;

/** Changes them. */
export type SetLogSearch = SetSearch<typeof logFields>;

/** An attempt as the server lists it. */
export type Attempt = AnswerOf<'listAttempts'>['attempts'][number];
