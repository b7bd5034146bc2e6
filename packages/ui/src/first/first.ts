/**
 * The first script, run before the first paint, small and alone: it sets the colours, the language and the folding of
 * the last visit, so that nothing flashes, and begins what the page will need: its requests and its scripts.
 */
import type { Early, WithEarly } from './early.ts';
import { firstRequests, tabsName } from './requests.ts';

/** Put in by the build: the scripts of each page, and those of the Chinese texts. */
declare const PAGES: readonly { readonly path: string; readonly files: readonly string[] }[];
declare const CHINESE: readonly string[];

const kept = keptPreferences();
const html = document.documentElement;
const dark =
  kept.theme === 'dark' || (kept.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
html.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
if (typeof kept.language === 'string') html.lang = kept.language;

const base = new URL('.', document.baseURI);
const path = `/${location.pathname.slice(base.pathname.length)}`;
html.dataset.frame = path === '/login' ? 'none' : kept.navFolded ? 'folded' : 'open';

const answers: Early['answers'] = new Map();
const heard: MessageEvent[] = [];
// Before the first request: what a tab says after this is in no answer, or in both.
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(tabsName(base)) : undefined;
if (channel) channel.onmessage = (event) => heard.push(event);
(globalThis as WithEarly).orreryEarly = { answers, channel, heard };

for (const request of firstRequests(path, location.search)) {
  const address = new URL(`api/v1${request}`, base).href;
  const control = new AbortController();
  const answer = fetch(address, { signal: control.signal });
  // The consumer of the answer handles its failure.
  answer.catch(() => {});
  answers.set(address, { answer, control });
}

const language = kept.language ?? navigator.languages.find((tag) => /^(zh|en)/i.test(tag)) ?? '';
const page = PAGES.find((known) => new RegExp(known.path).test(path));
for (const file of [...(page?.files ?? []), ...(/^zh/i.test(String(language)) ? CHINESE : [])]) {
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.crossOrigin = '';
  link.href = new URL(file, base).href;
  document.head.append(link);
}

function keptPreferences(): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem('orrery.preferences') ?? '{}');
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    // What another program wrote there is not ours to read.
    return {};
  }
}
