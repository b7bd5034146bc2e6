/** Makes a text the draft of a new workflow and opens it in the editor; one that is there already is not written over. */
import { editAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useAction } from '../../data/api.ts';

export function useNewDraft() {
  const go = useGo();
  const { mutate, error, isPending } = useAction('saveDraft', ['listWorkflows']);
  return {
    error,
    isPending,
    make: (project: string, name: string, text: string) =>
      mutate({ project, name, body: { text } }, { onSuccess: () => go(editAddress(project, name)) }),
  };
}

/** The workflow named in a text, as far as a partial parse finds it; null without a name. */
export function namedIn(text: string): { readonly project: string; readonly name: string } | null {
  const of = (key: string) =>
    new RegExp(`^\\{?\\s*"?${key}"?\\s*:\\s*["']?([\\p{L}\\p{N}_][\\p{L}\\p{N}_.-]*)`, 'mu').exec(text)?.[1];
  const name = of('name');
  if (name === undefined || /^---/m.test(text.trimStart().slice(3))) return null;
  return { project: of('project') ?? 'default', name };
}
