/** How far two colours are apart, for people with normal vision and for those who see fewer colours. */

type Triple = readonly [number, number, number];

/** Ways of seeing that the palette is checked for. */
export const visions = ['normal', 'protan', 'deutan', 'tritan'] as const;

/** Severity 1 of Machado, Oliveira and Fernandes (2009), on linear RGB. */
const machado: Readonly<Record<(typeof visions)[number], readonly Triple[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const toXyz: readonly Triple[] = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const white: Triple = [0.95047, 1, 1.08883];

const multiply = (matrix: readonly Triple[], [a, b, c]: Triple): Triple => {
  const [x, y, z] = matrix.map((row) => row[0] * a + row[1] * b + row[2] * c);
  return [x, y, z];
};

const linear = (hex: string): Triple => {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
};

/** The contrast of WCAG: 1 for the same colour, 21 for black on white. */
export function contrast(one: string, other: string): number {
  const [a, b] = [one, other].map((colour) => multiply(toXyz, linear(colour))[1] + 0.05);
  return Math.max(a, b) / Math.min(a, b);
}

/** The CIEDE2000 difference for one kind of vision; about 2 is barely noticeable, 15 is obvious. */
export function difference(one: string, other: string, vision: (typeof visions)[number]): number {
  return ciede2000(lab(one, vision), lab(other, vision));
}

function lab(hex: string, vision: (typeof visions)[number]): Triple {
  const seen = multiply(machado[vision], linear(hex)).map((value) => Math.min(1, Math.max(0, value)));
  const [x, y, z] = multiply(toXyz, [seen[0], seen[1], seen[2]]).map((value, k) => {
    const ratio = value / white[k];
    return ratio > 216 / 24389 ? Math.cbrt(ratio) : (ratio * 24389) / 27 / 116 + 16 / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function ciede2000([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [c1, c2] = [Math.hypot(a1 * (1 + g), b1), Math.hypot(a2 * (1 + g), b2)];
  const [h1, h2] = [hue(a1 * (1 + g), b1), hue(a2 * (1 + g), b2)];
  const grey = c1 * c2 === 0;
  const turn = grey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const deltaHue = 2 * Math.sqrt(c1 * c2) * sin(turn / 2);
  const [meanL, meanC] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const meanHue = grey ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const t =
    1 -
    0.17 * cos(meanHue - 30) +
    0.24 * cos(2 * meanHue) +
    0.32 * cos(3 * meanHue + 6) -
    0.2 * cos(4 * meanHue - 63);
  const lightness = (l2 - l1) / (1 + (0.015 * (meanL - 50) ** 2) / Math.sqrt(20 + (meanL - 50) ** 2));
  const chroma = (c2 - c1) / (1 + 0.045 * meanC);
  const tint = deltaHue / (1 + 0.015 * meanC * t);
  const rotation =
    -2 * Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)) * sin(60 * Math.exp(-(((meanHue - 275) / 25) ** 2)));
  return Math.sqrt(lightness ** 2 + chroma ** 2 + tint ** 2 + rotation * chroma * tint);
}

const hue = (a: number, b: number) =>
  a === 0 && b === 0 ? 0 : (Math.atan2(b, a) * 180) / Math.PI + (b < 0 ? 360 : 0);
const sin = (degrees: number) => Math.sin((degrees * Math.PI) / 180);
const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
