/** Mantine set to the console's look: dense, flat, its colours from `variables.css` and never from Mantine. */
import {
  Button,
  createTheme,
  Drawer,
  defaultVariantColorsResolver,
  Menu,
  Modal,
  Popover,
  Tooltip,
  type VariantColorsResolver,
} from '@mantine/core';

const hover = (colour: string) => `color-mix(in srgb, ${colour} 88%, var(--text))`;
const tint = (colour: string, share: number) => `color-mix(in srgb, ${colour} ${share}%, transparent)`;

/** Two colours of controls are enough: the accent, and `red` for what cannot be taken back. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colour = input.color === 'red' ? 'var(--failed-text)' : 'var(--focus)';
  const on = input.color === 'red' ? 'var(--ground)' : 'var(--on-focus)';
  switch (input.variant) {
    case 'filled':
      return { background: colour, hover: hover(colour), color: on, border: '1px solid transparent' };
    case 'light':
      return {
        background: tint(colour, 10),
        hover: tint(colour, 16),
        color: colour,
        border: '1px solid transparent',
      };
    case 'subtle':
      return {
        background: 'transparent',
        hover: 'var(--hover)',
        color: input.color === 'red' ? colour : 'var(--text)',
        border: '1px solid transparent',
      };
    default:
      return defaultVariantColorsResolver(input);
  }
};

/** Overlays come and go at once: motion only keeps one's place, and these have none to keep. */
const still = { transitionProps: { duration: 0 } };

/** The page itself never scrolls; locking it would write a style element, which the policy of the page forbids. */
const unlocked = { lockScroll: false };
const overPage = { ...unlocked, overlayProps: { backgroundOpacity: 0.4 } };

export const theme = createTheme({
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  defaultRadius: 4,
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver,
  components: {
    Button: Button.extend({ defaultProps: { size: 'xs', variant: 'default' } }),
    Modal: Modal.extend({ defaultProps: { ...still, ...overPage, yOffset: '10vh' } }),
    ModalRoot: { defaultProps: { ...still, ...unlocked } },
    Drawer: Drawer.extend({ defaultProps: { ...still, ...overPage } }),
    DrawerRoot: { defaultProps: { ...still, ...unlocked } },
    Menu: Menu.extend({ defaultProps: { ...still, withinPortal: true } }),
    Popover: Popover.extend({ defaultProps: { ...still, withinPortal: true } }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        ...still,
        openDelay: 300,
        events: { hover: true, focus: true, touch: false },
        multiline: true,
        maw: 360,
      },
    }),
  },
});
