import { Page as Frame } from '../../parts/page.tsx';
export function Page() {
  return (
    <Frame title="workflows" crumbs={[]}>
      …
    </Frame>
  );
}
