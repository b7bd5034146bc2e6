/** A small total language for the conditions of a workflow. */
export { evaluate, evaluateCondition, type Names } from './evaluate.ts';
export { parseExpression } from './parse.ts';
export { type Expression, referencedNames, type Scalar, type Value } from './syntax.ts';
