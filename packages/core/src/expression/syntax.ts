/**
 * The tree of an expression, as data. Operators of one precedence level form one flat chain, so the depth of
 * a tree follows its brackets, not its length.
 */

/** A value inside a list. Parameters are texts; `evaluate.ts` defines how a text compares with a number. */
export type Scalar = number | string | boolean | null;

/** Operands and results of expressions. A list contains no lists. */
export type Value = Scalar | readonly Scalar[];

/** Binary operators; words and aliases of the text are already replaced by these. */
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

/** The names used in an expression, each once, in order of appearance: to refuse unknown ones early. */
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
