/** The system's Chromium without a screen: for tests, pictures and benchmarks. */
import { type Browser, chromium as driver } from 'playwright-core';
import { chromium } from './services/chromium.ts';

/** Longer than it takes to start on a machine that has much else to do. */
const PATIENCE = 120_000;

/** Starts one; where there is none it says how to get one. */
export async function openChromium(): Promise<Browser> {
  const executablePath = process.env.ORRERY_CHROMIUM ?? chromium.find();
  if (!executablePath)
    throw new Error('there is no Chromium: npm run services -- install chromium, or set ORRERY_CHROMIUM');
  return driver.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    timeout: PATIENCE,
  });
}
