/** Starts the console in its page: the still frame gives way to the real one at once with the page in it. */
import './theme/mantine.css';
import './theme/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { followDensity } from './app/density.ts';
import { router } from './app/router.tsx';
import { askFirst } from './data/api.ts';
import { preferences } from './data/preferences.ts';
import { loadLanguage } from './i18n/text.tsx';

/** How long the first answers are waited for: a page that is drawn once is there sooner than one that is drawn twice. */
const PATIENCE = 100;

async function start(root: Element): Promise<void> {
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  // Who has to sign in first would only be refused; the first script knows by the address.
  const signsIn = document.documentElement.dataset.frame === 'none';
  const answers = signsIn ? undefined : Promise.race([askFirst(), patience]);
  await Promise.all([router.load(), loadLanguage(preferences().language), answers]);
  followDensity();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

const root = document.getElementById('root');
if (root) void start(root);
