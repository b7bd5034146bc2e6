/** `preview params`: a text with its placeholders filled in, as a task of a run would see it. */
import { builtinParameters, expand, resolveParameters } from '@orrery/core/params';
import type { Preview } from './preview.ts';
import { readTime, readZone } from './times.ts';

export const params: Preview = {
  fields: ['template', 'at', 'tz', 'params'],

  answer(fields, now) {
    const zone = readZone(fields);
    const run = { businessTime: readTime(fields, 'at', zone) ?? now, zone };
    const sources = { startup: fields.record('params'), builtin: builtinParameters(run) };
    const values = resolveParameters(sources, run);
    const value = expand(fields.text('template'), { ...run, value: (name) => values.get(name)?.value });
    return { json: { value }, text: () => value };
  },
};
