/** The language of the console for its components: `useText()` gives the texts, `useUnits()` how times are written. */
import { type AnySaid, speaker, type Values } from '@orrery/sdk/client';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { loadFile } from '../data/newer-build.ts';
import { chineseUnits, englishUnits, type Units } from '../model/time.ts';
import { english, type Key } from './en.ts';
import { countingOf, createFormatter } from './format.ts';
import { formatLanguage, type Language, type Messages } from './languages.ts';

/** The text of a key, filled with values. */
export type Text = (key: Key, values?: Values) => string;

interface Spoken {
  readonly language: Language;
  /** For `Intl`. */
  readonly locale: string;
  readonly text: Text;
  readonly units: Units;
  /** A reason in this language, from its code and fields; the server's English where there is no other. */
  reason(said: Reason): readonly [why: string, frees: string | null];
  /** A text of the server in this language, by its code; where it has none that is known here, the server's English. */
  sentence(english: string, said?: Partial<AnySaid>): string;
  /** The title of a refusal, by its kind. */
  title(problem: { readonly kind: string; readonly title: string }): string;
}

/** A reason as the server says it. */
interface Reason {
  readonly code: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly why: string;
  readonly frees: string | null;
}

function spoken(language: Language, messages: Messages, words?: Chinese): Spoken {
  const text: Text = createFormatter(messages, language);
  const units = language === 'zh-CN' ? chineseUnits : englishUnits;
  const reason: Spoken['reason'] = ({ code, fields, why, frees }) =>
    words?.chineseReason(code, fields) ?? [why, frees];
  const say = words && speaker(words.serverTexts, countingOf('zh-CN'), (list) => list.join('、'));
  const sentence: Spoken['sentence'] = (said, { code, fields } = {}) =>
    (code !== undefined && say?.({ code, fields })) || said;
  const titles: Readonly<Record<string, string | undefined>> = words?.titles ?? {};
  const title: Spoken['title'] = ({ kind, title }) => (Object.hasOwn(titles, kind) && titles[kind]) || title;
  return { language, locale: formatLanguage(language), text, units, reason, sentence, title };
}

const Speech = createContext<Spoken>(spoken('en', english));

type Chinese = typeof import('./zh.ts');
let loaded: Chinese | undefined;

/** Loads the texts of a language where they are not there from the start. */
export async function loadLanguage(language: Language): Promise<Chinese | undefined> {
  if (language !== 'zh-CN') return undefined;
  loaded ??= await loadFile('zh-CN', () => import('./zh.ts'));
  return loaded;
}

/** Speaks one language to everything below; Chinese is loaded when it is first wanted, and the one before spoken until then. */
export function TextProvider({ language, children }: { language: Language; children: ReactNode }) {
  const [chinese, setChinese] = useState(loaded);
  const missing = language === 'zh-CN' && chinese === undefined;
  useEffect(() => {
    if (missing) void loadLanguage(language).then(setChinese);
  }, [missing, language]);
  const before = useRef<Language>(undefined);
  if (!missing) before.current = language;
  const now = before.current;
  useEffect(() => {
    if (now !== undefined) document.documentElement.lang = formatLanguage(now);
  }, [now]);
  const value = useMemo(
    () => (now === 'zh-CN' ? spoken('zh-CN', chinese?.chinese ?? {}, chinese) : spoken(now ?? 'en', english)),
    [now, chinese],
  );
  // At first there is no other: a page in the wrong language would be read aloud by screen readers and then replaced.
  if (now === undefined) return null;
  return <Speech value={value}>{children}</Speech>;
}

/** The texts of the present language. */
export function useText(): Text {
  return useContext(Speech).text;
}

/** The present language and how it writes numbers and times. */
export function useLanguage(): Spoken {
  return useContext(Speech);
}
