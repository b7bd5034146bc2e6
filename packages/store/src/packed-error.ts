/** Errors passed between threads: they keep their classes. */
import { InvalidInput } from '@orrery/core/errors';
import type { Words } from '@orrery/core/texts';
import { BadEntry, Conflict, isBadEntry, NotFound, StaleEpoch, StoreAway } from './errors.ts';

/** An error as data. */
export type PackedError =
  | { readonly tag: 'stale-epoch'; readonly node: string; readonly epoch: number }
  | { readonly tag: 'conflict'; readonly words: Words; readonly runs: readonly number[] }
  | { readonly tag: 'not-found'; readonly words: Words }
  | { readonly tag: 'bad-entry'; readonly message: string; readonly run: number | undefined }
  | { readonly tag: 'store-away'; readonly message: string; readonly unknown: boolean }
  | { readonly tag: 'invalid-input'; readonly words: Words; readonly at: string | undefined }
  | { readonly tag: 'defect'; readonly message: string; readonly stack: string | undefined };

const wordsOf = ({ said, message }: Conflict | NotFound): Words => said ?? message;

/** Converts an error to data. */
export function packError(error: unknown): PackedError {
  if (error instanceof StaleEpoch) return { tag: error.tag, node: error.node, epoch: error.epoch };
  if (error instanceof Conflict) return { tag: error.tag, words: wordsOf(error), runs: error.runs };
  if (error instanceof NotFound) return { tag: error.tag, words: wordsOf(error) };
  if (error instanceof StoreAway) return { tag: error.tag, message: error.message, unknown: error.unknown };
  if (error instanceof InvalidInput) return { tag: error.tag, words: error.words, at: error.at };
  if (isBadEntry(error))
    return { tag: 'bad-entry', message: error.message, run: (error as Partial<BadEntry>).run };
  const { message, stack } = error as Error;
  return { tag: 'defect', message, stack };
}

/** Restores the error. */
export function unpackError(packed: PackedError): Error {
  switch (packed.tag) {
    case 'stale-epoch':
      return new StaleEpoch(packed.node, packed.epoch);
    case 'conflict':
      return new Conflict(packed.words, packed.runs);
    case 'not-found':
      return new NotFound(packed.words);
    case 'bad-entry':
      return new BadEntry(packed.message, packed.run);
    case 'store-away':
      return new StoreAway(packed.message, packed.unknown);
    case 'invalid-input':
      return new InvalidInput(packed.words, packed.at);
    case 'defect':
      return Object.assign(new Error(packed.message), { stack: packed.stack });
  }
}
