/** The search parameters of a workflow's page besides its tab, and the props of all tabs. */
import { oneOf, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import type { AnswerOf } from '../../data/client.ts';
import { gridColours } from './draw-grid.ts';

const fields = {
  task: textField(),
  colour: oneOf(['last', 'rate'] as const),
  cells: oneOf(gridColours),
  /** How two versions are shown beside each other. */
  diff: oneOf(['split', 'unified'] as const),
  /** The business time that parameters are resolved for. */
  at: textField(100),
  /** An open dialog. */
  open: oneOf(['run', 'move', 'restore', 'publish'] as const),
};

export const useWorkflowSearch = () => useSearch(fields);

/** A version of a workflow. */
export type Shown = AnswerOf<'showWorkflow'>;
