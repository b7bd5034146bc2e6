/**
 * The tree of an expression, as data. Operators of one precedence level form one flat chain, so the depth of
 * a tree is that of its brackets and not of its length.
 */

/** A value inside a list. Parameters are texts; how a text meets a number is said in `evaluate.ts`. */
export type Scalar = number | string | boolean | null;

/** What an expression works on and gives. A list holds no lists. */
export type Value = Scalar | readonly Scalar[];

/** Operators between two values; the words and aliases of the text are already replaced by these. */
export type Operator =
  | '||'
  | '&&'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';

/** One operator of a chain with the operand on its right; `at` is the column of the operator. */
export interface Link {
  operator: Operator;
  operand: Expression;
  at: number;
}

/** A parsed expression; `at` is the column, counted from 1, that errors point to. */
export type Expression = { at: number } & (
  | { kind: 'value'; value: Scalar }
  | { kind: 'name'; name: string }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'unary'; operator: '!' | '-' | '+'; operand: Expression }
  | { kind: 'chain'; first: Expression; rest: Link[] }
  | { kind: 'choice'; condition: Expression; yes: Expression; no: Expression }
  | { kind: 'includes'; subject: Expression; item: Expression }
  | { kind: 'length'; subject: Expression }
);

/** The names an expression may ask for, each once, in order of appearance: to refuse unknown ones early. */
export function referencedNames(expression: Expression): string[] {
  const names = new Set<string>();
  const visit = (part: Expression): void => {
    if (part.kind === 'name') names.add(part.name);
    else parts(part).forEach(visit);
  };
  visit(expression);
  return [...names];
}

function parts(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'value':
    case 'name':
      return [];
    case 'list':
      return expression.items;
    case 'unary':
      return [expression.operand];
    case 'chain':
      return [expression.first, ...expression.rest.map((link) => link.operand)];
    case 'choice':
      return [expression.condition, expression.yes, expression.no];
    case 'includes':
      return [expression.subject, expression.item];
    case 'length':
      return [expression.subject];
  }
}
