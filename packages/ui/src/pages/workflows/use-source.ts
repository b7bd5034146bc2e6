/**
 * The text of a workflow file that is being written or pasted. An export of DolphinScheduler is turned into one, with
 * a note for everything that is not as it was.
 */
import type { ImportNote } from '@orrery/sdk/import';
import { useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { notify } from '../../parts/notices.tsx';

/** A text, and what its import could not carry over. */
export interface Source {
  readonly text: string;
  readonly notes: readonly ImportNote[];
  set(text: string): void;
}

const exported = /^\s*\[?\s*\{[\s\S]*"(?:process|workflow)Definition"\s*:/;

export function useSource(initial: string): Source {
  const words = useText();
  const [source, setSource] = useState<Pick<Source, 'text' | 'notes'>>({ text: initial, notes: [] });
  const convert = async (given: string) => {
    try {
      const { importDolphinScheduler } = await import('@orrery/sdk/import');
      const { workflows, notes } = importDolphinScheduler(given);
      const text = workflows.map((each) => JSON.stringify(each, null, 2)).join('\n---\n');
      // What was typed meanwhile is not written over.
      setSource((now) => (now.text === given ? { text, notes } : now));
    } catch (error) {
      notify(words('publish.notRead', { why: (error as Error).message }), 'bad');
    }
  };
  return {
    ...source,
    set(text) {
      setSource({ text, notes: [] });
      if (exported.test(text)) void convert(text);
    },
  };
}
