/** The version that a run is on, in words: those of drafts have no number that people use. */
import type { Text } from '../i18n/text.tsx';

export function versionText(text: Text, version: number): string {
  return version < 0 ? text('version.draft') : `v${version}`;
}
