/** Parameters that a workflow declares, with the types of their values inferred from the declaration. */
import type { WorkflowFile } from '@orrery/core/model';

/** The declarations of a workflow, by name: a plain value, a list, or a full declaration. */
export type Declarations = Readonly<Record<string, Declaration>>;

type Scalar = string | number | boolean;
type List = readonly Scalar[];

/** As the workflow file has it, except that its lists may be constant ones. */
type Declaration = Scalar | List | FullDeclaration;

interface FullDeclaration
  extends Omit<Extract<Exclude<FileDeclaration, unknown[]>, object>, 'default' | 'options'> {
  readonly default?: Scalar | List;
  readonly options?: List;
}

type FileDeclaration = NonNullable<WorkflowFile['params']>[string];

/** A text resolved when a task starts: `${name}`, `$[yyyyMMdd]`. */
type Placeholder = `$${string}`;

/** Values for the parameters that a workflow declares; those that are required must be there. */
export type ValuesOf<Params extends Declarations> = {
  readonly [Name in keyof Params as Params[Name] extends Must ? never : Name]?: ValueOf<Params[Name]>;
} & { readonly [Name in keyof Params as Params[Name] extends Must ? Name : never]: ValueOf<Params[Name]> };

/** A declaration whose value only the caller can provide. */
type Must = { readonly required: true; readonly default?: undefined };

type ValueOf<Declared> = Declared extends { readonly options: readonly (infer Option)[] }
  ? Option | Placeholder
  : Declared extends { readonly type: 'integer' | 'number' }
    ? number | `${number}` | Placeholder
    : Declared extends { readonly type: 'boolean' }
      ? boolean | `${boolean}` | Placeholder
      : Scalar | List;
