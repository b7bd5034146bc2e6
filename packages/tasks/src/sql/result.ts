/**
 * The result of a statement as a stream: counted, its first rows kept, and all rows written to a file if
 * requested.
 */
import { createWriteStream, mkdirSync, rmSync, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isParameterName } from '@orrery/core/params';
import type { RowSink } from './session.ts';
import { csvLine, jsonValue, textValue } from './values.ts';

/** Limits of the stored result. */
export interface ResultOptions {
  readonly maxRows: number;
  /** Where to write it as CSV. */
  readonly csv?: string;
}

/** All outputs of an attempt may take 262,144 characters: a part of that is for rows. */
const MOST_CHARACTERS = 150_000;
const LONGEST_COLUMN = 20_000;
/** All columns of the first row together. */
const LONGEST_ROW = 100_000;
const MOST_COLUMNS = 900;

/** Collects one result. */
export class ResultSet implements RowSink {
  count = 0;
  returned = false;
  private readonly options: ResultOptions;
  private names: readonly string[] = [];
  private first: readonly unknown[] | undefined;
  private readonly kept: string[] = [];
  private characters = 0;
  private cut = false;
  private file: WriteStream | undefined;
  private problem: Error | undefined;
  private readonly waiting: (() => void)[] = [];

  constructor(options: ResultOptions) {
    this.options = options;
  }

  columns(names: readonly string[]): void {
    this.names = names;
    this.returned = true;
    const { csv } = this.options;
    if (csv === undefined) return;
    mkdirSync(dirname(csv), { recursive: true });
    this.file = createWriteStream(partOf(csv));
    this.file.on('error', (error) => {
      this.problem = error;
    });
    const wake = (): void => {
      for (const resolve of this.waiting.splice(0)) resolve();
    };
    this.file.on('drain', wake).on('close', wake);
    this.file.write(csvLine(names));
  }

  row(values: readonly unknown[]): boolean {
    if (this.problem) throw this.problem;
    this.count++;
    this.first ??= values;
    if (this.kept.length < this.options.maxRows && !this.cut) this.keep(values);
    return this.file?.write(csvLine(values)) ?? true;
  }

  ready(): Promise<void> {
    if (!this.file?.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  /** The file in its place, whole. */
  async finish(): Promise<void> {
    const { file } = this;
    const { csv } = this.options;
    if (!file || csv === undefined) return;
    await new Promise<void>((resolve) => file.end(resolve));
    if (this.problem) throw this.problem;
    await rename(partOf(csv), csv);
  }

  /** Removes the file of a failed statement. */
  discard(): void {
    this.file?.destroy();
    if (this.file && this.options.csv !== undefined) rmSync(partOf(this.options.csv), { force: true });
  }

  /** The outputs: all kept rows, the count, and the columns of the first row by name, which count more. */
  outputs(): { readonly values: Record<string, string | number>; readonly notes: readonly string[] } {
    const values: Record<string, string | number> = { rows: `[${this.kept.join(',')}]`, count: this.count };
    const notes: string[] = [];
    let characters = 0;
    let omitted = 0;
    if (this.kept.length < this.count && this.options.maxRows > 0)
      notes.push(`output rows holds the first ${this.kept.length} of ${this.count} rows`);
    for (const [k, name] of this.names.entries()) {
      if (!this.first) break;
      const text = textValue(this.first[k]);
      if (!isParameterName(name)) notes.push(`column "${name}" is no output: give it a name with AS`);
      else if (text.length > LONGEST_COLUMN) notes.push(`column "${name}" is no output: it is too long`);
      else if (characters + name.length + text.length > LONGEST_ROW || k >= MOST_COLUMNS) omitted++;
      else {
        values[name] = text;
        characters += name.length + text.length;
      }
    }
    if (omitted > 0) notes.push(`${omitted} columns are no outputs: the first row is too long`);
    return { values, notes };
  }

  private keep(values: readonly unknown[]): void {
    const text = JSON.stringify(
      Object.fromEntries(this.names.map((name, k) => [name, jsonValue(values[k])])),
    );
    this.characters += text.length + 1;
    if (this.characters > MOST_CHARACTERS) this.cut = true;
    else this.kept.push(text);
  }
}

/** Written aside and renamed: a reader never sees half a file. */
function partOf(csv: string): string {
  return `${csv}.part`;
}
