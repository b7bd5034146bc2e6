/** An address that leads nowhere. */
import { Page } from '../parts/page.tsx';

export function NotFound() {
  return (
    <Page title="404" crumbs={[]}>
      …
    </Page>
  );
}
