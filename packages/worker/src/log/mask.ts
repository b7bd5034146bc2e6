/**
 * Hides secrets in a stream of bytes. What leaves is the same however the stream was cut into chunks: bytes that may
 * be the beginning of a secret are held back until the next ones decide.
 */

/** Stands where a secret stood. */
const MASK = '***';

/** A shorter line of a secret of several lines is too common to hide by itself. */
const SHORTEST_LINE = 4;

/** Bytes in, bytes out, secrets hidden. One for each stream. */
export interface Masker {
  /** The bytes that may leave now. */
  feed(chunk: Buffer): Buffer;
  /** What was held back, when the stream has ended. */
  finish(): Buffer;
}

/** A masker for these secrets; empty ones hide nothing. Each line of a secret of several lines is
 * hidden as well, and what a secret is in JSON, in a URL and in Base64, also as part of a longer text. */
export function createMasker(secrets: readonly string[]): Masker {
  const hidden = spellings(secrets);
  if (hidden.length === 0) return { feed: (chunk) => chunk, finish: () => Buffer.alloc(0) };
  return new SecretMasker(hidden);
}

/** Hides secrets in one whole text. */
export function maskText(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  const masker = createMasker(secrets);
  return Buffer.concat([masker.feed(Buffer.from(text)), masker.finish()]).toString();
}

/** Byte strings (one character a byte) to hide, the longest first, so that it wins where two begin together. */
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

/** A shorter secret is in Base64 too short to be told from other text. */
const SHORTEST_ENCODED = 6;

/** What a secret becomes in a URL, and in Base64 wherever it begins in what is encoded. */
function encodings(secret: string): string[] {
  if (secret.length < SHORTEST_ENCODED) return [];
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Characters at the ends hold bits of what stands around the secret.
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const safe = inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const url = encodeURIComponent(secret.toWellFormed());
  return [...inBase64, ...safe, url, url.replaceAll('%20', '+')];
}

/** Holds the end of what came in, if a secret may begin there. */
class SecretMasker implements Masker {
  private readonly secrets: readonly string[];
  private readonly pattern: RegExp;
  private readonly longest: number;
  private held = '';

  constructor(secrets: readonly string[]) {
    this.secrets = secrets;
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

  /** Lets everything before `end` go; a secret that begins before it is whole, and takes its last bytes along. */
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

  /** The first place from which on the text is the beginning of a secret, and not yet all of it. */
  private undecidedFrom(text: string): number {
    for (let i = Math.max(0, text.length - this.longest + 1); i < text.length; i++) {
      const rest = text.slice(i);
      if (this.secrets.some((one) => one.length > rest.length && one.startsWith(rest))) return i;
    }
    return text.length;
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
