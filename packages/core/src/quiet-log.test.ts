import { expect, it } from 'vitest';
import { QuietLog } from './quiet-log.ts';
import { VirtualClock } from './timing/index.ts';

it('says a trouble that lasts once a minute, and once that it is over', () => {
  const clock = new VirtualClock(0);
  const said: string[] = [];
  const quiet = new QuietLog((level, text) => said.push(`${level} ${text}`), clock);
  quiet.over('back');
  for (let second = 0; second < 121; second++) {
    quiet.met('away');
    clock.advance(1_000);
  }
  quiet.over('back');
  quiet.over('back');
  quiet.met('away again');
  quiet.over();
  expect(said).toEqual(['warn away', 'warn away', 'warn away', 'info back', 'warn away again']);
});
