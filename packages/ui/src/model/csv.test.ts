import { expect, it } from 'vitest';
import { csvOf } from './csv.ts';

it('quotes what has commas, quotes and lines, and disarms formulas', () => {
  const rows = [
    ['a,b', 'say "hi"', 'two\nlines'],
    ['=1+1', '@cmd', 'plain'],
  ];
  expect(csvOf(['x', 'y', 'z'], rows)).toBe(
    'x,y,z\r\n"a,b","say ""hi""","two\nlines"\r\n\'=1+1,\'@cmd,plain\r\n',
  );
});
