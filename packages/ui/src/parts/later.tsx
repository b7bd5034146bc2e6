/** Parts of a page that are not there at first: a dialog comes when it is opened, so that the page comes sooner. */
import { type ComponentType, lazy, Suspense } from 'react';
import { loadFile } from '../data/newer-build.ts';

/** A component that is loaded when it is first shown, as a file with a name of its own; `load` fetches it before that, where it will soon be needed. */
export function later<Props extends object>(
  name: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> & { readonly load: () => Promise<unknown> } {
  const Loaded = lazy(async () => ({ default: (await loadFile(name, load)) as ComponentType<object> }));
  const Part = (props: Props) => (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  );
  return Object.assign(Part, { load });
}
