/** Texts of one language. Each message is read once, when it is first shown. */
import { formatLanguage, type Language, type Messages } from './languages.ts';
import { countingOf, type Message, readMessage, type Values } from './message.ts';
import { pseudo } from './pseudo.ts';

/** Texts of one language by key. */
export type Formatter = (key: string, values?: Values) => string;

/** A formatter over the messages of one language; a key that has none is shown as it is. */
export function createFormatter(messages: Messages, language: Language): Formatter {
  const read = new Map<string, Message>();
  const counting = countingOf(formatLanguage(language));
  return (key, values) => {
    const known = read.get(key);
    if (known) return known(values);
    const text = messages[key];
    if (text === undefined) return key;
    const message = readMessage(language === 'x-pseudo' ? pseudo(text) : text, counting);
    read.set(key, message);
    return message(values);
  };
}
