/** Icons of task types for canvases, as paths on a grid of 24; a type without one shows its first two letters. */
import { __iconNode as split } from '@tabler/icons-react/dist/esm/icons/IconArrowsSplit.mjs';
import { __iconNode as node } from '@tabler/icons-react/dist/esm/icons/IconBraces.mjs';
import { __iconNode as python } from '@tabler/icons-react/dist/esm/icons/IconBrandPython.mjs';
import { __iconNode as copies } from '@tabler/icons-react/dist/esm/icons/IconCopyPlus.mjs';
import { __iconNode as database } from '@tabler/icons-react/dist/esm/icons/IconDatabase.mjs';
import { __iconNode as branch } from '@tabler/icons-react/dist/esm/icons/IconGitBranch.mjs';
import { __iconNode as link } from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import { __iconNode as through } from '@tabler/icons-react/dist/esm/icons/IconPlayerTrackNext.mjs';
import { __iconNode as sitemap } from '@tabler/icons-react/dist/esm/icons/IconSitemap.mjs';
import { __iconNode as terminal } from '@tabler/icons-react/dist/esm/icons/IconTerminal2.mjs';
import { __iconNode as world } from '@tabler/icons-react/dist/esm/icons/IconWorld.mjs';

type IconNode = readonly (readonly [string, Readonly<Record<string, string>>])[];

const nodes: Readonly<Record<string, IconNode>> = {
  shell: terminal,
  // Not a ring: that is how a task that waits is drawn.
  noop: through,
  node,
  python,
  sql: database,
  http: world,
  'sub-workflow': sitemap,
  dependent: link,
  conditions: branch,
  switch: split,
  dynamic: copies,
};

const paths = new Map<string, Path2D>();

/** The icon of a type, if it has one. */
export function typeIcon(type: string): Path2D | undefined {
  const known = paths.get(type);
  if (known) return known;
  const drawing = Object.hasOwn(nodes, type) ? nodes[type] : undefined;
  if (!drawing) return undefined;
  const path = new Path2D();
  for (const [, { d }] of drawing) if (d) path.addPath(new Path2D(d));
  paths.set(type, path);
  return path;
}
