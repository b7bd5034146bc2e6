/** Parts of a page that are not there at first: a dialog comes when it is opened, so that the page comes sooner. */
import { type ComponentType, lazy, Suspense } from 'react';

/** A component that is loaded when it is first shown; `load` fetches it before that, where it will soon be needed. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> & { readonly load: () => Promise<unknown> } {
  const Loaded = lazy(async () => ({ default: (await load()) as ComponentType<object> }));
  const Part = (props: Props) => (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  );
  return Object.assign(Part, { load });
}
