/** Work on whole workflows that takes long for large ones. */
import {
  type FileResult,
  type ParseOptions,
  parseWorkflowFile,
  type Workflow,
  writeWorkflow,
} from '@orrery/core/model';
import { type Comparison, compareVersions, type Difference, differences } from './compare.ts';

/** Each kind of work by its input and output; both can be sent to a thread. */
export interface Works {
  parse: [{ readonly text: string } & ParseOptions, FileResult];
  write: [{ readonly workflow: Workflow; readonly format: 'yaml' | 'json' }, string];
  compare: [{ readonly before: Workflow; readonly after: Workflow }, Comparison];
  differ: [{ readonly before: Workflow; readonly after: Workflow }, Difference[]];
}

/** One piece of it. */
export interface Work<Kind extends keyof Works = keyof Works> {
  readonly kind: Kind;
  readonly input: Works[Kind][0];
}

/** How each is done. */
export const works: { readonly [Kind in keyof Works]: (input: Works[Kind][0]) => Works[Kind][1] } = {
  parse: ({ text, ...known }) => parseWorkflowFile(text, known),
  write: ({ workflow, format }) => writeWorkflow(workflow, format),
  compare: ({ before, after }) => compareVersions(before, after),
  differ: ({ before, after }) => differences(before, after),
};
