/**
 * A text field whose value is in the address, which follows a moment later: nothing typed meanwhile is lost.
 */
import { type ChangeEvent, useState } from 'react';

/** The props of the field. While it has the focus it shows the typed text, otherwise the address's value. */
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
