/** Numbers as people read them: grouped, short from 100,000 on, sizes in KiB and MiB. */

const SHORT_FROM = 100_000;
const units = ['k', 'M', 'G', 'T'] as const;

/** `12,480`, and from 100,000 on `123.4 k`; the exact figure belongs beside it, on focus. */
export function count(value: number, language: string): string {
  if (Math.abs(value) < SHORT_FROM) return exact(value, language);
  let [scaled, unit] = [value / 1_000, 0];
  while (Math.abs(scaled) >= 1_000 && unit < units.length - 1) {
    scaled /= 1_000;
    unit++;
  }
  const cut = Math.trunc(scaled * 10) / 10;
  return `${formatOf(language, 1, 1).format(cut)} ${units[unit]}`;
}

/** Every digit, grouped. */
export function exact(value: number, language: string): string {
  // Small integers look the same in every language of the console; skipping the formatter makes such pages
  // faster.
  if (Number.isInteger(value) && Math.abs(value) < 1_000 && !Object.is(value, -0)) return String(value);
  return formatOf(language).format(value);
}

/** Made once for each form: it takes longer to make one than to use it a hundred times. */
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(language: string, least = 0, most = 3): Intl.NumberFormat {
  const key = `${language} ${least} ${most}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat(language, { minimumFractionDigits: least, maximumFractionDigits: most });
  formats.set(key, made);
  return made;
}

/** `93 %`, cut: 100 % means all of them. */
export function percent(share: number, language: string): string {
  return `${exact(Math.floor(share * 100), language)} %`;
}

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `512 B`, `1.5 KiB`, `20 MiB`. */
export function size(bytes: number, language: string): string {
  let [scaled, unit] = [bytes, 0];
  while (scaled >= 1_024 && unit < sizes.length - 1) {
    scaled /= 1_024;
    unit++;
  }
  const digits = unit > 0 && scaled < 10 ? 1 : 0;
  return `${formatOf(language, 0, digits).format(scaled)} ${sizes[unit]}`;
}
