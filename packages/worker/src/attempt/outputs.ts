/**
 * The outputs of a task: values printed as `${setValue(name=value)}`, values in its JSON file, and values set
 * by a plugin. If several have one name the last wins, in that order.
 */
import { isParameterName } from '@orrery/core/params';
import { readBack } from '../isolation/read-back.ts';
import { plainText } from '../log/tail.ts';
import { type OutputValue, TaskFailure } from '../plugin/contract.ts';
import { PrintedOutputs } from './printed-outputs.ts';

const MOST_VALUES = 1_000;
/** At three bytes a character, the outputs fit into one message to a master with the rest of the report. */
const MOST_CHARACTERS = 262_144;
/** JSON may escape one character as six bytes. */
const LARGEST_FILE = 6 * MOST_CHARACTERS;

/** Collects the outputs of one attempt. */
export class Outputs {
  private printed: PrintedOutputs | undefined;
  private given: Map<string, string> | undefined;

  /** Whether any output was seen. */
  get any(): boolean {
    return this.printed !== undefined || this.given !== undefined;
  }

  /** Reads what a process printed. */
  feed(chunk: Buffer): void {
    this.printed ??= new PrintedOutputs();
    this.printed.feed(chunk);
  }

  /** Takes a value from a plugin. */
  set(name: string, value: OutputValue): void {
    this.given ??= new Map();
    this.given.set(checkedName(name, 'output'), textOf(name, value));
    if (this.given.size > MOST_VALUES) throw tooMuch();
  }

  /**
   * All values, and why printed ones were dropped. Throws a failure if the file is invalid or the values are
   * too large.
   */
  finish(
    file: string | undefined,
    owner?: number,
  ): { values?: Record<string, string>; problems: readonly string[] } {
    if (!this.any && file === undefined) return { problems: [] };
    const { values: printed, problems } = this.printed?.finish() ?? { values: {}, problems: [] };
    const values = {
      ...printed,
      ...(file === undefined ? {} : readOutputs(file, owner)),
      ...toRecord(this.given),
    };
    const entries = Object.entries(values);
    const characters = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    if (entries.length > MOST_VALUES || characters > MOST_CHARACTERS) throw tooMuch();
    return { values: entries.length > 0 ? values : undefined, problems };
  }
}

function readOutputs(file: string, owner: number | undefined): Record<string, string> {
  const text = readBack(file, { owner, limit: LARGEST_FILE }) ?? '';
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TaskFailure(`the output file is not JSON: ${(error as Error).message}`);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new TaskFailure('the output file does not hold a JSON object: write {"name": value}');
  const outputs: Record<string, string> = {};
  for (const [name, one] of Object.entries(value)) {
    outputs[checkedName(name, 'output file')] = textOf(name, one);
  }
  return outputs;
}

function checkedName(name: string, where: string): string {
  if (isParameterName(name)) return name;
  throw new TaskFailure(`${where}: ${JSON.stringify(name.slice(0, 80))} is not the name of a parameter`);
}

/** A value as text, as all parameters travel. */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return plainText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && value !== null) return plainText(JSON.stringify(value));
  throw new TaskFailure(
    `output ${name} is ${value === null ? 'null' : `of type ${typeof value}`}: use a text, a number, true or false, a list or an object`,
  );
}

function toRecord(map: Map<string, string> | undefined): Record<string, string> {
  return map ? Object.fromEntries(map) : {};
}

function tooMuch(): TaskFailure {
  return new TaskFailure(
    `too many outputs: at most ${MOST_VALUES} values of together ${MOST_CHARACTERS} characters can be handed on`,
  );
}
