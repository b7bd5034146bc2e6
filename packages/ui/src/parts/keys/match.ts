/**
 * Which binding a key press means. A binding is one chord (`mod+k`, `X`, `Escape`) or a sequence of two (`g h`);
 * `mod` is ⌘ on a Mac and Ctrl elsewhere. Pure: presses in, what to do out.
 */

/** The relevant fields of a key press. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/**
 * The chord of a key press: `j`, `X`, `mod+k`, `Enter`; null for a single modifier and for keys reserved by
 * the browser.
 */
export function chordOf({ key, ctrlKey, metaKey, altKey }: Press, mac: boolean): string | null {
  if (['Shift', 'Control', 'Meta', 'Alt', 'CapsLock', 'Dead', 'Process', 'Unidentified'].includes(key))
    return null;
  const mod = mac ? metaKey : ctrlKey;
  if ((mac ? ctrlKey : metaKey) || altKey) return null;
  const name = key === ' ' ? 'Space' : key;
  return mod ? `mod+${name.toLowerCase()}` : name;
}

/** The result of a key press: unknown, the first half of a sequence, or the bindings it completes. */
export type Match =
  | { readonly kind: 'none' }
  | { readonly kind: 'begun'; readonly chord: string }
  | { readonly kind: 'found'; readonly keys: string };

/**
 * Matches a chord after the previous one; a whole sequence wins over its second key as a binding of its own.
 */
export function match(begun: string | null, chord: string, known: ReadonlySet<string>): Match {
  const sequence = begun === null ? null : `${begun} ${chord}`;
  if (sequence !== null && known.has(sequence)) return { kind: 'found', keys: sequence };
  if (known.has(chord)) return { kind: 'found', keys: chord };
  for (const keys of known) if (keys.startsWith(`${chord} `)) return { kind: 'begun', chord };
  return { kind: 'none' };
}

/** Whether keys need no modifier, and so are a text field's or a dialog's while one is in it. */
export function isPlain(keys: string): boolean {
  return !keys.startsWith('mod+') && keys !== 'Escape';
}

/**
 * Whether keys are only letters, digits or signs, which speech input types by accident: these can be turned
 * off.
 */
export function isSingle(keys: string): boolean {
  return keys.split(' ').some((chord) => Array.from(chord).length === 1);
}

const signs: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  Enter: '⏎',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** As a person reads it: `⌘K`, `g h`, `Ctrl+K`. */
export function shown(keys: string, mac: boolean): string {
  return keys
    .split(' ')
    .map((chord) => {
      const [, mod, key] = /^(mod\+)?(.+)$/.exec(chord) ?? [];
      const name = signs[key] ?? key;
      return mod ? `${mac ? '⌘' : 'Ctrl+'}${name.toUpperCase()}` : name;
    })
    .join(' ');
}
