/** English with the code and the fields it was made of, as answers carry it. */
import { english, recognize, type Said } from '@orrery/core/texts';

type Wording = Partial<Pick<Said, 'code' | 'fields'>>;

/** A text as the reason of something. */
export function reasonOf(why: Said): { readonly reason: string } & Wording {
  return { reason: english(why), ...wordingOf(why) };
}

/** The code and fields to stand beside a text. */
export function wordingOf(why: Said | undefined): Wording {
  if (!why) return {};
  return Object.keys(why.fields).length === 0 ? { code: why.code } : { code: why.code, fields: why.fields };
}

/** The same for a text that a row holds. */
export function recordedWording(text: string | null | undefined): Wording {
  return text == null ? {} : wordingOf(recognize(text));
}
