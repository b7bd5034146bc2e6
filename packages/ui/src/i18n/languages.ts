/** The languages of the console. `x-pseudo` is English made longer, to see what does not fit; no menu offers it. */

export const languages = ['en', 'zh-CN', 'x-pseudo'] as const;
export type Language = (typeof languages)[number];

/** Messages by key, in ICU form. */
export type Messages = Readonly<Record<string, string>>;

/** The language of formats such as numbers: the pseudo-language counts in English. */
export function formatLanguage(language: Language): string {
  return language === 'x-pseudo' ? 'en' : language;
}

/** The language for a browser that asks for these, in order. */
export function negotiate(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    if (tag.toLowerCase().startsWith('zh')) return 'zh-CN';
    if (tag.toLowerCase().startsWith('en')) return 'en';
  }
  return 'en';
}
