/** Expands a text's placeholders as for a task of a run. */
import { builtinParameters, expand, resolveParameters } from '../params/index.ts';
import type { Preview } from './preview.ts';
import { readTime, readZone } from './times.ts';

export const params: Preview<{ value: string }> = {
  fields: ['template', 'at', 'tz', 'params'],

  answer(fields, now) {
    const zone = readZone(fields);
    const run = { businessTime: readTime(fields, 'at', zone) ?? now, zone };
    const sources = { startup: fields.record('params'), builtin: builtinParameters(run) };
    const values = resolveParameters(sources, run);
    return { value: expand(fields.text('template'), { ...run, value: (name) => values.get(name)?.value }) };
  },
};
