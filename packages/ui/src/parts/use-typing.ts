/** A text field whose value is in the address, which follows a moment later: nothing that was typed meanwhile is lost. */
import { type ChangeEvent, useState } from 'react';

/** The properties of the field. While someone is in it, it shows what was typed; else what the address says. */
export function useTyping(value: string, tell: (typed: string) => void) {
  const [typed, setTyped] = useState<string | null>(null);
  return {
    value: typed ?? value,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
      setTyped(currentTarget.value);
      tell(currentTarget.value);
    },
    onBlur: () => setTyped(null),
  };
}
