/**
 * Masks secrets in a stream of bytes. The result does not depend on how the stream is split into chunks:
 * bytes that may start a secret are held back until the next bytes decide.
 */

/** Replaces a secret. */
const MASK = '***';

/** A shorter line of a multi-line secret is too common to mask by itself. */
const SHORTEST_LINE = 4;

/** Masks secrets in one stream of bytes. */
export interface Masker {
  /** The bytes that may be released now. */
  feed(chunk: Buffer): Buffer;
  /** The bytes held back, at the end of the stream. */
  finish(): Buffer;
}

/**
 * A masker for these secrets; empty ones mask nothing. Also masks each line of a multi-line secret, and a
 * secret's forms in JSON, in a URL and in Base64, even inside a longer text.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const hidden = spellings(secrets);
  if (hidden.length === 0) return { feed: (chunk) => chunk, finish: () => Buffer.alloc(0) };
  return new SecretMasker(hidden);
}

/** Masks secrets in a whole text. */
export function maskText(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  const masker = createMasker(secrets);
  return Buffer.concat([masker.feed(Buffer.from(text)), masker.finish()]).toString();
}

/**
 * Byte strings (one character a byte) to mask, longest first, so that the longest wins where two start
 * together.
 */
function spellings(secrets: readonly string[]): string[] {
  const all = new Set<string>();
  for (const secret of secrets) {
    all.add(secret);
    all.add(JSON.stringify(secret).slice(1, -1));
    for (const encoded of encodings(secret)) all.add(encoded);
    const lines = secret.split(/\r?\n/);
    if (lines.length > 1) for (const line of lines) if (line.length >= SHORTEST_LINE) all.add(line);
  }
  all.delete('');
  return [...all].map((one) => Buffer.from(one).toString('latin1')).sort((a, b) => b.length - a.length);
}

/** Limit below which a secret in Base64 is too short to recognize, and a line of its Base64. */
const SHORTEST_ENCODED = 6;

/** Columns after which programs break Base64: openssl and PEM files, and `base64`. */
const BASE64_COLUMNS = [64, 76];

/** The forms of a secret in a URL, and in Base64 at every offset; and alone in Base64 of several lines. */
function encodings(secret: string): string[] {
  if (secret.length < SHORTEST_ENCODED) return [];
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // The first and last characters also hold bits of the text around the secret.
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const safe = inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const lines = BASE64_COLUMNS.filter((columns) => inBase64[0].length > columns)
    .flatMap((columns) => inBase64[0].match(new RegExp(`.{1,${columns}}`, 'g')) ?? [])
    .filter((line) => line.length >= SHORTEST_ENCODED);
  return [...inBase64, ...safe, ...lines, ...inUrls(secret.toWellFormed())];
}

/** What programs make of a secret in a URL: they differ in what they leave as it is, and in the case of digits. */
function inUrls(secret: string): string[] {
  const strict = encodeURIComponent(secret).replace(/[!'()*]/g, percentEncoded);
  const forms = [
    strict,
    encodeURIComponent(secret),
    encodeURI(secret),
    strict.replaceAll('%2F', '/'),
    strict.replaceAll('%2A', '*').replaceAll('~', '%7E'),
  ];
  return forms
    .flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase())])
    .flatMap((form) => [form, form.replaceAll('%20', '+')]);
}

function percentEncoded(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Holds back the end of the input if a secret may start there. */
class SecretMasker implements Masker {
  /** By their first character. */
  private readonly secrets: ReadonlyMap<string, readonly string[]>;
  private readonly pattern: RegExp;
  private readonly longest: number;
  private held = '';

  constructor(secrets: readonly string[]) {
    this.secrets = Map.groupBy(secrets, (secret) => secret[0]);
    this.longest = secrets[0]?.length ?? 0;
    this.pattern = new RegExp(secrets.map(literal).join('|'), 'g');
  }

  feed(chunk: Buffer): Buffer {
    const text = this.held + chunk.toString('latin1');
    return this.leave(text, this.undecidedFrom(text));
  }

  finish(): Buffer {
    return this.leave(this.held, this.held.length);
  }

  /**
   * Releases everything before `end`. A secret that starts before `end` is complete, and its last bytes go
   * with it.
   */
  private leave(text: string, end: number): Buffer {
    let out = '';
    let position = 0;
    for (const match of text.matchAll(this.pattern)) {
      if (match.index >= end) break;
      out += text.slice(position, match.index) + MASK;
      position = match.index + match[0].length;
    }
    const rest = Math.max(position, end);
    out += text.slice(position, rest);
    this.held = text.slice(rest);
    return Buffer.from(out, 'latin1');
  }

  /** The first position where the rest of the text is an incomplete secret. */
  private undecidedFrom(text: string): number {
    for (let i = Math.max(0, text.length - this.longest + 1); i < text.length; i++) {
      const possible = this.secrets.get(text[i]);
      if (!possible) continue;
      const rest = text.slice(i);
      if (possible.some((one) => one.length > rest.length && one.startsWith(rest))) return i;
    }
    return text.length;
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
