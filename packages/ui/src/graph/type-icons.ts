/** Icons of task types for canvases, as paths on a grid of 24; a type without one shows its first two letters. */
import { __iconNode as split } from '@tabler/icons-react/dist/esm/icons/IconArrowsSplit.mjs';
import { __iconNode as node } from '@tabler/icons-react/dist/esm/icons/IconBraces.mjs';
import { __iconNode as python } from '@tabler/icons-react/dist/esm/icons/IconBrandPython.mjs';
import { __iconNode as copies } from '@tabler/icons-react/dist/esm/icons/IconCopyPlus.mjs';
import { __iconNode as database } from '@tabler/icons-react/dist/esm/icons/IconDatabase.mjs';
import { __iconNode as branch } from '@tabler/icons-react/dist/esm/icons/IconGitBranch.mjs';
import { __iconNode as dots } from '@tabler/icons-react/dist/esm/icons/IconGridDots.mjs';
import { __iconNode as hourglass } from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs';
import { __iconNode as link } from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import { __iconNode as mail } from '@tabler/icons-react/dist/esm/icons/IconMail.mjs';
import { __iconNode as through } from '@tabler/icons-react/dist/esm/icons/IconPlayerTrackNext.mjs';
import { __iconNode as server } from '@tabler/icons-react/dist/esm/icons/IconServer.mjs';
import { __iconNode as sitemap } from '@tabler/icons-react/dist/esm/icons/IconSitemap.mjs';
import { __iconNode as terminal } from '@tabler/icons-react/dist/esm/icons/IconTerminal2.mjs';
import { __iconNode as person } from '@tabler/icons-react/dist/esm/icons/IconUserCheck.mjs';
import { __iconNode as world } from '@tabler/icons-react/dist/esm/icons/IconWorld.mjs';

type IconNode = readonly (readonly [string, Readonly<Record<string, string>>])[];

const nodes: Readonly<Record<string, IconNode>> = {
  shell: terminal,
  ssh: server,
  // Not a ring: that is how a task that waits is drawn.
  noop: through,
  node,
  python,
  sql: database,
  procedure: database,
  mail,
  wait: hourglass,
  job: dots,
  http: world,
  'sub-workflow': sitemap,
  dependent: link,
  conditions: branch,
  switch: split,
  dynamic: copies,
  approval: person,
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
