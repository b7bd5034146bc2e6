/** A state as icon, word and colour. The icon by itself is for places that have the word elsewhere. */
import { useText } from '../i18n/text.tsx';
import { lookOf } from '../model/state.ts';
import styles from './parts.module.css';

/** The drawing of a state, in the colour of its family. */
export function StateIcon({ state, size = 14 }: { state: string; size?: number }) {
  const { icon, family } = lookOf(state);
  return (
    <svg
      className={styles.stateIcon}
      data-family={family}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {'fill' in icon && icon.fill !== undefined && <path d={icon.fill} fill="currentColor" />}
      {icon.lines !== undefined && (
        <path
          d={icon.lines}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.8}
          strokeLinecap="round"
          strokeLinejoin="round"
          strokeDasharray={icon.dashed ? '2.2 2.2' : undefined}
        />
      )}
    </svg>
  );
}

/** A state in full; `forced` tells a success that a person declared. */
export function StateBadge({ state, forced = false }: { state: string; forced?: boolean }) {
  const shown = forced && state === 'success' ? 'forced' : state;
  return (
    <span className={styles.state} data-family={lookOf(shown).family}>
      <StateIcon state={shown} />
      <StateWord state={shown} />
    </span>
  );
}

/** The word of a state; one that this build does not know is shown as the server wrote it. */
function StateWord({ state }: { state: string }) {
  const word = useStateWord();
  return <span>{word(state)}</span>;
}

/** Returns the words of states, for labels that are not elements. */
export function useStateWord(): (state: string) => string {
  const text = useText();
  return (state) => {
    const { word } = lookOf(state);
    return word === null ? state : text(word);
  };
}
