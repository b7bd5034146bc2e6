/**
 * The colours of the console as data: six families of states that stay apart in normal and in colour-blind
 * vision, and the grounds they stand on. Canvas views draw from here; `variables.css` says the same for CSS.
 */

/** What a state is like; the colour says the family, the icon and the word say which state it is. */
export const families = ['neutral', 'waiting', 'running', 'success', 'failed', 'stopped'] as const;
export type Family = (typeof families)[number];

/** Light or dark. */
export type Scheme = 'light' | 'dark';

interface Ink {
  /** Of bars, icons and boxes: at least 3:1 on every ground. */
  readonly fill: string;
  /** Of words: at least 4.5:1 on every ground. */
  readonly text: string;
}

interface Palette {
  readonly ground: string;
  readonly raised: string;
  readonly text: string;
  readonly dim: string;
  readonly focus: string;
  readonly states: Readonly<Record<Family, Ink>>;
}

const same = (colour: string): Ink => ({ fill: colour, text: colour });

/** Every colour, by scheme. */
export const palette: Readonly<Record<Scheme, Palette>> = {
  light: {
    ground: '#ffffff',
    raised: '#f6f7f9',
    text: '#1b1f24',
    dim: '#57606a',
    focus: '#0b5cd5',
    states: {
      neutral: { fill: '#75808e', text: '#57606a' },
      waiting: { fill: '#b27c05', text: '#7a5200' },
      running: { fill: '#1583e0', text: '#0a5ca8' },
      success: same('#0c6351'),
      failed: same('#a01c0a'),
      stopped: same('#7e3a8c'),
    },
  },
  dark: {
    ground: '#14171c',
    raised: '#1c2027',
    text: '#e6e9ee',
    dim: '#a3acb8',
    focus: '#8ab8ff',
    states: {
      neutral: same('#838c98'),
      waiting: same('#f4be4a'),
      running: same('#4796f2'),
      success: same('#2bdfae'),
      failed: same('#ea6048'),
      stopped: same('#d9bfe7'),
    },
  },
};
