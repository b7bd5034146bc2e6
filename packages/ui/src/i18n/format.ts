/** Texts of one language. Each message is read once, when it is first shown. */
import { type Counting, type Message, readMessage, type Values } from '@orrery/sdk/client';
import { exact } from '../model/number.ts';
import { formatLanguage, type Language, type Messages } from './languages.ts';
import { pseudo } from './pseudo.ts';

/** Counts as a language does; asked for its rules when something is first counted, for that takes a while. */
export function countingOf(locale: string): Counting {
  let rules: Intl.PluralRules | undefined;
  return {
    format: (value) => exact(value, locale),
    select(value) {
      rules ??= new Intl.PluralRules(locale);
      return rules.select(value);
    },
  };
}

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
