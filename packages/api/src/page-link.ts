/** Links from one page of a list to the next. */
import type { FastifyRequest } from 'fastify';

/** A page that was cut at its limit has a link to the next one. */
export function nextPage<Row>(
  request: FastifyRequest,
  rows: readonly Row[],
  limit: number,
  cursor: (last: Row) => Record<string, number | string>,
): string | null {
  const last = rows.at(-1);
  return rows.length < limit || last === undefined ? null : linkTo(request, cursor(last));
}

/** The path of a request with other values in its query. */
export function linkTo(request: FastifyRequest, values: Readonly<Record<string, number | string>>): string {
  const url = new URL(request.url, 'http://localhost');
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, String(value));
  return `${url.pathname}${url.search}`;
}
