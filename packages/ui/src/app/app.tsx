/** The console: theme, language, cache and router around the pages. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queries } from '../data/api.ts';
import { usePreferences } from '../data/preferences.ts';
import { TextProvider } from '../i18n/text.tsx';
import { HintLayer } from '../parts/hint.tsx';
import { Notices } from '../parts/notices.tsx';
import { theme } from '../theme/theme.ts';
import { router } from './router.tsx';

export function App() {
  const { theme: scheme, language } = usePreferences();
  return (
    // Colours come from our own style sheets: no style elements, so that the server can forbid inline ones.
    <MantineProvider
      theme={theme}
      withCssVariables={false}
      withGlobalClasses={false}
      defaultColorScheme="auto"
      forceColorScheme={scheme === 'system' ? undefined : scheme}
    >
      <TextProvider language={language}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
          <Notices />
          <HintLayer />
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  );
}
