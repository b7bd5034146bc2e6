/**
 * `npm run e2e`: the browser tests. So far one: the system's Chromium starts without a screen and draws a page.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from './services/chromium.ts';

const PNG_SIGNATURE = '89504e470d0a1a0a';
const PAGE = 'data:text/html,<body style="background:teal"><h1>Orrery</h1>';

if (import.meta.main) {
  const failure = drawPage();
  if (failure) console.error(`e2e: ${failure}`);
  console.log(failure ? '0 passed, 1 failed' : '1 passed, 0 failed');
  process.exitCode = failure ? 1 : 0;
}

/** Draws a page into a PNG of the asked size; says what went wrong, or nothing. */
function drawPage(): string | undefined {
  const browser = chromium.find();
  if (!browser) return 'Chromium is not installed; npm run services -- install chromium';
  const folder = mkdtempSync(join(tmpdir(), 'orrery-e2e-'));
  const picture = join(folder, 'page.png');
  try {
    const result = spawnSync(
      browser,
      [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run'],
        ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
        ...[`--user-data-dir=${join(folder, 'profile')}`, '--window-size=640,480', `--screenshot=${picture}`],
        PAGE,
      ],
      { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' },
    );
    if (!existsSync(picture)) return `no picture came out:\n${result.error ?? ''}${result.stderr}`;
    const png = readFileSync(picture);
    if (png.toString('hex', 0, 8) !== PNG_SIGNATURE) return 'the picture is not a PNG';
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
    return width === 640 && height === 480 ? undefined : `the picture is ${width} x ${height}, not 640 x 480`;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
