/** Fills messages with values. Each message is parsed once, when it is first shown. */
import { IntlMessageFormat } from 'intl-messageformat';
import { formatLanguage, type Language, type Messages } from './languages.ts';
import { pseudo } from './pseudo.ts';

/** What a message may be filled with. */
export type Values = Readonly<Record<string, string | number>>;

/** Texts of one language by key. */
export type Formatter = (key: string, values?: Values) => string;

/** A formatter over the messages of one language; a key that has none is shown as it is. */
export function createFormatter(messages: Messages, language: Language): Formatter {
  const parsed = new Map<string, IntlMessageFormat>();
  return (key, values) => {
    const known = parsed.get(key);
    if (known) return String(known.format(values));
    const text = messages[key];
    if (text === undefined) return key;
    const message = new IntlMessageFormat(
      language === 'x-pseudo' ? pseudo(text) : text,
      formatLanguage(language),
      undefined,
      { ignoreTag: true },
    );
    parsed.set(key, message);
    return String(message.format(values));
  };
}
