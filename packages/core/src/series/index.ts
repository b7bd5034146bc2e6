/** Series: one model for dynamic fan-out and backfill. */
export {
  continueElement,
  endElement,
  isExhausted,
  openNext,
  recoverUnfinished,
  restElement,
  type SeriesProgress,
  seriesOf,
} from './progress.ts';
export {
  countElements,
  elementAt,
  MAX_ELEMENTS,
  productOf,
  type SeriesElement,
  type SeriesList,
  type SeriesSource,
} from './source.ts';
export { packTimes, type TimeStretch, unpackTimes } from './times.ts';
