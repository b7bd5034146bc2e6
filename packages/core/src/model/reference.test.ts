/** The reference page of the workflow file is true: its examples are accepted, its lists are complete. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { strategies } from '../shard/index.ts';
import { parameterTypes, priorities, runModes, triggerRules } from './glossary.ts';
import { workflowJsonSchema } from './json-schema.ts';
import { problemCodes } from './problem.ts';
import { parseWorkflowFile } from './workflow-file.ts';

const page = readFileSync(new URL('../../../../docs/reference/workflow-file.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text);

describe('docs/reference/workflow-file.md', () => {
  it.each(examples)('shows a workflow without problems\n%s', (text) => {
    expect(parseWorkflowFile(text)).toMatchObject({ workflows: [{}], problems: [] });
  });

  it('has examples', () => expect(examples.length).toBeGreaterThanOrEqual(8));

  it('lists every code of a problem with its meaning', () => {
    const rows = [...page.slice(page.indexOf('## Problems')).matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)];
    expect(Object.fromEntries(rows.map(([, code, meaning]) => [code, meaning]))).toEqual(problemCodes);
  });

  it('names every key of the schema and every word it accepts', () => {
    const keys = new Set<string>();
    const walk = (value: unknown) => {
      if (typeof value !== 'object' || value === null) return;
      if ('properties' in value && 'additionalProperties' in value)
        for (const key of Object.keys(value.properties ?? {})) keys.add(key);
      Object.values(value).forEach(walk);
    };
    walk(workflowJsonSchema());
    keys.delete('$schema');
    const words = [
      ...keys,
      ...priorities,
      ...runModes,
      ...triggerRules,
      ...parameterTypes,
      ...Object.keys(strategies),
    ];
    const code = [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, text]) => text.split(/[^\w-]+/));
    expect(words.filter((word) => !code.includes(word))).toEqual([]);
  });
});
