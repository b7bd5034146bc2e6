/** What Vitest reports of a run, added up over the run of all tests and that of the files that failed in it. */

/** A file of tests. */
export interface FileResult {
  readonly name: string;
  /** `failed` also where no test of it could begin. */
  readonly status: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

/** The files that did not pass. */
export function failedIn(files: readonly FileResult[]): string[] {
  return files.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** The results of all files as they were last, and the tests that failed before and passed then. */
export function merge(first: readonly FileResult[], again: readonly FileResult[]) {
  const later = new Map(again.map((file) => [file.name, file]));
  const byChance = first.flatMap((file) => {
    const then = later.get(file.name)?.assertionResults ?? [];
    const isGood = (test: string) =>
      then.some(({ fullName, status }) => fullName === test && status === 'passed');
    return file.assertionResults
      .filter(({ fullName, status }) => status === 'failed' && isGood(fullName))
      .map(({ fullName }) => `${file.name} ${fullName}`);
  });
  return { files: first.map((file) => later.get(file.name) ?? file), byChance };
}

/** Tests that passed and that did not. One that was left out did not, and neither did a file without a failed test of its own that failed. */
export function count(files: readonly FileResult[]): { passed: number; failed: number } {
  let [passed, failed] = [0, 0];
  for (const { status, assertionResults } of files) {
    const good = assertionResults.filter((test) => test.status === 'passed').length;
    passed += good;
    failed += assertionResults.length - good;
    if (status === 'failed' && good === assertionResults.length) failed++;
  }
  return { passed, failed };
}
