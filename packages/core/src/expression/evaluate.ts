/**
 * Evaluates expressions. There are no side effects, loops, calls, or access to anything but the given names,
 * so evaluation always ends and is harmless.
 */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';
import { parseExpression } from './parse.ts';
import type { Expression, Link, Scalar, Value } from './syntax.ts';

/** Values of names: a record, with own entries only, or a function. */
export type Names = Readonly<Record<string, Value>> | ((name: string) => Value | undefined);

/** Parses and evaluates a condition; the result must be a boolean or a text that reads as one. */
export function evaluateCondition(text: string, names: Names): boolean {
  return toBoolean(evaluate(parseExpression(text), names), said('expr.result'), 1);
}

/**
 * Evaluates an expression. `&&`, `||` and `?` look only at the sides they need. Parameters are texts, so a
 * text that reads as a number (`-1.5`, `.5`, `1e3`) or as `true` or `false` may stand for it:
 *
 * | where                 | such a text                                                                       |
 * |-----------------------|-----------------------------------------------------------------------------------|
 * | `==` `!=` `in`        | equals that number or boolean; two texts are equal only letter by letter          |
 * | `<` `<=` `>` `>=`     | is a number if both sides are or read as numbers; else text is compared with text |
 * | `-` `*` `/` `%`       | is that number; so it is after a sign (`+${a} + ${b}` adds two parameters)        |
 * | `+`                   | is added to a number; two texts are joined                                        |
 * | `&&` `\|\|` `!` `?`   | is that boolean                                                                   |
 *
 * An unknown name, any other mix of types, a division by zero and an overflow are InvalidInput with a column.
 */
export function evaluate(expression: Expression, names: Names): Value {
  const { at } = expression;
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'name':
      return lookUp(expression.name, names, at);
    case 'list':
      return expression.items.map((item) => toScalar(evaluate(item, names), item.at));
    case 'unary': {
      const value = evaluate(expression.operand, names);
      if (expression.operator === '!') return !toBoolean(value, said('expr.negated'), at);
      return expression.operator === '-' ? -toNumber(value, '-', at) : toNumber(value, '+', at);
    }
    case 'chain': {
      let value = evaluate(expression.first, names);
      for (const link of expression.rest) value = combine(value, link, names);
      return value;
    }
    case 'choice': {
      const chosen = toBoolean(evaluate(expression.condition, names), said('expr.condition'), at);
      return evaluate(chosen ? expression.yes : expression.no, names);
    }
    case 'includes':
      return includes(evaluate(expression.subject, names), evaluate(expression.item, names), at);
    case 'length': {
      const subject = evaluate(expression.subject, names);
      if (typeof subject === 'string' || isList(subject)) return subject.length;
      throw mismatch(said('expr.length', { type: typeName(subject) }), at);
    }
  }
}

function combine(left: Value, { operator, operand, at }: Link, names: Names): Value {
  const side = said('expr.side', { operator });
  if (operator === '&&') return toBoolean(left, side, at) && toBoolean(evaluate(operand, names), side, at);
  if (operator === '||') return toBoolean(left, side, at) || toBoolean(evaluate(operand, names), side, at);
  const right = evaluate(operand, names);
  switch (operator) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case 'in':
      if (!isList(right)) throw mismatch(said('expr.in', { type: typeName(right) }), at);
      return includes(right, left, at);
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const order = compare(left, right, operator, at);
      if (operator === '<') return order < 0;
      if (operator === '<=') return order <= 0;
      return operator === '>' ? order > 0 : order >= 0;
    }
    case '+':
      return add(left, right, at);
    default:
      return calculate(operator, toNumber(left, operator, at), toNumber(right, operator, at), at);
  }
}

function equal(left: Value, right: Value): boolean {
  if (isList(left) || isList(right)) {
    if (!isList(left) || !isList(right)) return false;
    return left.length === right.length && left.every((item, i) => equal(item, right[i]));
  }
  if (typeof left === typeof right) return left === right;
  const [text, other] = typeof left === 'string' ? [left, right] : [right, left];
  if (typeof text !== 'string') return false;
  if (typeof other === 'number') return readNumber(text) === other;
  return typeof other === 'boolean' && text === String(other);
}

/** Negative, zero or positive if `left` is below, equal to or above `right`. */
function compare(left: Value, right: Value, operator: string, at: number): number {
  const [a, b] = [readNumber(left), readNumber(right)];
  if (a !== undefined && b !== undefined) return a < b ? -1 : Number(a > b);
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : Number(left > right);
  throw mismatch(said('expr.order', { operator, left: typeName(left), right: typeName(right) }), at);
}

function includes(subject: Value, item: Value, at: number): boolean {
  if (isList(subject)) return subject.some((one) => equal(one, item));
  if (typeof subject === 'string' && typeof item === 'string') return subject.includes(item);
  throw mismatch(said('expr.includes', { item: typeName(item), subject: typeName(subject) }), at);
}

function add(left: Value, right: Value, at: number): Value {
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  const [a, b] = [readNumber(left), readNumber(right)];
  if (a !== undefined && b !== undefined) return finite(a + b, at);
  if (typeof left === 'string' && typeof right === 'number') return left + right;
  if (typeof left === 'number' && typeof right === 'string') return left + right;
  throw mismatch(said('expr.add', { left: typeName(left), right: typeName(right) }), at);
}

function calculate(operator: '-' | '*' | '/' | '%', left: number, right: number, at: number): number {
  if (operator === '-') return finite(left - right, at);
  if (operator === '*') return finite(left * right, at);
  if (right === 0) throw mismatch(said('expr.byZero', { operator }), at);
  return finite(operator === '/' ? left / right : left % right, at);
}

function finite(result: number, at: number): number {
  if (!Number.isFinite(result)) throw mismatch(said('expr.largeResult'), at);
  return result;
}

function lookUp(name: string, names: Names, at: number): Value {
  const value =
    typeof names === 'function' ? names(name) : Object.hasOwn(names, name) ? names[name] : undefined;
  if (value === undefined) throw mismatch(said('expr.unknownName', { name: JSON.stringify(name) }), at);
  return value;
}

function toBoolean(value: Value, what: Said, at: number): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw mismatch(said('expr.boolean', { what, type: typeName(value) }), at);
}

function toNumber(value: Value, operator: string, at: number): number {
  const number = readNumber(value);
  if (number === undefined) throw mismatch(said('expr.number', { operator, type: typeName(value) }), at);
  return number;
}

function toScalar(value: Value, at: number): Scalar {
  if (isList(value)) throw mismatch(said('expr.nested'), at);
  return value;
}

/** The number that a value is or reads as. */
function readNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function isList(value: Value): value is readonly Scalar[] {
  return typeof value === 'object' && value !== null;
}

/** Names the type, not the value: a parameter may be a secret, and messages go to logs. */
function typeName(value: Value): Said | string {
  if (value === null) return 'null';
  if (isList(value)) return said('type.list');
  if (typeof value === 'string') return said('type.text');
  return said(typeof value === 'number' ? 'type.number' : 'type.boolean');
}

function mismatch(words: Said, at: number): InvalidInput {
  return new InvalidInput(words, `column ${at}`);
}
