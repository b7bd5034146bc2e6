/** The system's Chromium without a screen and with our own fonts: for tests, pictures and benchmarks. */
import { join } from 'node:path';
import { type Browser, chromium as driver } from 'playwright-core';
import { chromium } from './services/tools.ts';

/** Longer than it takes to start on a machine that has much else to do. */
const PATIENCE = 120_000;

/**
 * Features of the browser for interactive use. In a new window they cost more than most pages do: two popups
 * of its address bar, each a hidden page, and a spare process.
 */
const forPeople = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];
/** What Playwright leaves out; of two lists the browser takes the last, so that ours has to name them too. */
const byPlaywright = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
];

/** Our fonts instead of the machine's, with their cache. */
const fonts = {
  FONTCONFIG_FILE: join(import.meta.dirname, 'fonts.conf'),
  XDG_CACHE_HOME: join(import.meta.dirname, '..', '.vitest', 'cache'),
};

/** Starts Chromium; if it is missing, the error tells how to install it. */
export async function openChromium(): Promise<Browser> {
  const executablePath = process.env.ORRERY_CHROMIUM ?? chromium.find();
  if (!executablePath)
    throw new Error('there is no Chromium: npm run services -- install chromium, or set ORRERY_CHROMIUM');
  return driver.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
      `--disable-features=${[...forPeople, ...byPlaywright].join()}`,
    ],
    env: { ...process.env, ...fonts },
    timeout: PATIENCE,
  });
}
