/** Where a worker has what task types use. */
export interface Places {
  /** Where the files of tasks are found. */
  readonly codeFolder: string;
  /** A cache between attempts; it may be emptied while the worker is stopped. */
  readonly cacheFolder: string;
  /** Hosts, addresses and ranges of the inside that tasks may connect to over HTTP; none unless given. */
  readonly httpAllow?: readonly string[];
}
