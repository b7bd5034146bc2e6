/** The clipboard, also where the browser keeps its own way to pages of this machine and of HTTPS. */

/** Copies a text; rejects where the browser does not let it. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // Within the dialog that has the focus, which would not let it go elsewhere.
  (before?.closest('[role="dialog"]') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (!copied) throw new Error('the browser did not copy');
}
