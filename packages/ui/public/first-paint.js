// Before the first paint: the colours and the language of the last visit, so that nothing flashes.
(() => {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem('orrery.preferences') ?? '{}');
  } catch {
    // What another program wrote there is not ours to read.
  }
  const dark =
    kept.theme === 'dark' || (kept.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  if (kept.language) document.documentElement.lang = kept.language;
})();
