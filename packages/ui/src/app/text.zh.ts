/** What the shell says, in Chinese. */
import type { shellText as english } from './text.en.ts';

export const shellText: Readonly<Record<keyof typeof english, string>> = {
  'search.dropped': '地址中以下部分不合要求,已去掉:{names}',
};
