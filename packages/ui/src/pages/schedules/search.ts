/** The search parameters of the schedule pages. */
import { numberField, oneOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';

/** The filters of the list. */
export const filterFields = {
  project: textField(),
  workflow: textField(600),
  state: oneOf(['on', 'paused'] as const),
};

const fields = {
  ...filterFields,
  month: textField(7),
  day: textField(10),
  minute: numberField(0, 1_440),
  cron: textField(),
  tz: textField(100),
};

/** The search parameters, for every view. */
export const useSchedulesSearch = () => useSearch(fields);
