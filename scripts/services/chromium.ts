/** Chromium: installed for browser tests, which start it themselves. */
import { findCommand, type Program } from './service.ts';

export const chromium: Program = {
  name: 'chromium',
  packages: ['chromium'],
  find: () => findCommand('chromium', 'chromium-browser', 'google-chrome'),
};
