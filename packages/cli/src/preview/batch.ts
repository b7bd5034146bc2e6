/**
 * Lines in, lines out: one JSON object a line from a stream, one answer a line in the same order. Reads no
 * further than its reader keeps up with, so neither a long input nor a slow reader fills memory.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { InvalidInput } from '@orrery/core/errors';

const LONGEST_LINE = 1_048_576;

/** Answers each line by `answer`; a line that it refuses is answered by `{"error": …}`, blank ones by nothing. */
export async function batch(
  input: Readable,
  output: Writable,
  answer: (values: Record<string, unknown>) => object,
): Promise<void> {
  input.setEncoding('utf8');
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new InvalidInput(`a line is longer than ${LONGEST_LINE} characters`);
    await write(output, lines, answer);
  }
  await write(output, [rest], answer);
}

async function write(
  output: Writable,
  lines: readonly string[],
  answer: (values: Record<string, unknown>) => object,
): Promise<void> {
  const text = lines
    .filter((line) => line.trim() !== '')
    .map((line) => `${JSON.stringify(answerLine(line, answer))}\n`)
    .join('');
  if (text !== '' && !output.write(text)) await once(output, 'drain');
}

function answerLine(line: string, answer: (values: Record<string, unknown>) => object): object {
  try {
    return answer(parseObject(line));
  } catch (error) {
    if (error instanceof InvalidInput) return { error: error.message };
    throw error;
  }
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new InvalidInput(`the line is not JSON: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new InvalidInput('the line is not a JSON object');
}
