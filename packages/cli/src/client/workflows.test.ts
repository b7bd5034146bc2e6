import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, json, orrery, useServer, write } from './use-server.ts';

useServer();

describe('workflows', () => {
  const file = (text: string) =>
    `project: shop\nname: cart # of today\ntasks: [{name: a, type: shell, with: {script: ${text}}}]\n`;

  const pair = (text: string) => {
    const schedule = text === 'two' ? 'schedule: {every: 1h, enabled: false}\n' : '';
    return `name: pair\n${schedule}tasks: [{name: a, type: shell, with: {script: ${text}}}]\n`;
  };

  it('are listed, renamed, restored, and read back from an export unchanged', {
    timeout: 60_000,
  }, async () => {
    for (const text of ['one', 'two']) await orrery('apply', '-f', write('cart.yaml', file(text)));
    expect((await orrery('workflows', 'rename', 'shop/cart', 'basket')).out).toBe(
      'shop/cart is shop/basket v3, with 0 runs\n',
    );
    expect((await orrery('workflows', 'restore', 'shop/basket', '1')).out).toBe(
      'shop/basket v4 is v1 again\n',
    );
    expect((await orrery('workflows', 'versions', 'shop/basket')).out).toMatch(
      /^v4 live .*version 1 again$/m,
    );
    expect((await orrery('workflows', 'list', '--project', 'shop')).out).toMatch(
      /^shop\/basket +v4 +- +- +-$/m,
    );
    const none = ['workflows', 'list', '--project', 'shop', '--schedule', 'none'];
    expect((await orrery(...none)).out).toMatch(/^shop\/basket +v4 +- +- +-$/m);
    expect((await orrery(...none, '--tag', 'nightly', '--state', 'failed,broken')).out).toBe(
      'no workflows\n',
    );
    expect((await orrery('workflows', 'list', '--schedule', 'never')).code).toBe(2);
    const { files } = await json('workflows', 'export', '--project', 'shop', '--out', join(folder, 'export'));
    expect(files).toEqual([join(folder, 'export', 'shop', 'basket.yaml')]);
    const again = await orrery('apply', '--dry-run', '-f', join(folder, 'export', 'shop'));
    expect(again.out).toBe('shop/basket unchanged v4\n');
    const { out: printed } = await orrery('workflows', 'export', 'shop/basket');
    expect(printed).toBe(readFileSync(files[0], 'utf8'));
    const alone = await json('workflows', 'export', 'shop/basket', '--out', join(folder, 'alone'));
    expect(alone.files).toEqual([join(folder, 'alone', 'shop', 'basket.yaml')]);
    expect(await orrery('workflows', 'export')).toMatchObject({
      code: 2,
      err: 'orrery: say --out FOLDER, or which workflow to print\n',
    });
    expect((await orrery('workflows', 'rename', 'shop/cart', 'x')).code).toBe(2);
  });

  it('are taken offline and put online', async () => {
    const schedule = 'schedule: {every: 1h}\n';
    const rest = 'tasks: [{name: a, type: shell, with: {script: "true"}}]\n';
    await orrery('apply', '-f', write('off.yaml', `name: off\n${schedule}${rest}`));
    const offline =
      'default/off is offline: nothing starts it; open runs go on, and ticks that come are skipped\n';
    expect((await orrery('workflows', 'offline', 'off')).out).toBe(offline);
    expect((await orrery('workflows', 'offline', 'off')).out).toBe(offline);
    expect((await orrery('workflows', 'list')).out).toMatch(/^default\/off +v1 offline /m);
    const refused = 'default/off is offline; put it online first';
    expect((await orrery('run', 'off')).err).toContain(refused);
    expect((await orrery('schedules', 'fire', 'off')).err).toContain(refused);
    const days = ['--from', '2026-03-01', '--to', '2026-03-02'];
    expect((await orrery('backfill', 'off', ...days)).err).toContain(refused);
    expect((await orrery('workflows', 'online', 'off')).out).toBe('default/off is online\n');
    expect((await orrery('run', 'off')).code).toBe(0);
    expect((await orrery('workflows', 'offline', 'of')).err).toContain('did you mean "default/off"?');
  });

  it('are compared by their versions, and deleted', async () => {
    for (const text of ['one', 'two']) await orrery('apply', '-f', write('pair.yaml', pair(text)));
    const line = /^ {2}~ +tasks\.a\.with\.script +"one" -> "two"\n {2}\+ +schedules\.main\n$/;
    expect((await orrery('workflows', 'diff', 'pair', '1')).out).toMatch(line);
    expect((await orrery('workflows', 'diff', 'pair', 'v1', 'v2')).out).toMatch(line);
    expect((await orrery('workflows', 'diff', 'pair', '2')).out).toBe('no difference\n');
    expect((await orrery('workflows', 'diff', 'pair', 'x')).err).toContain('is neither a version');
    expect((await orrery('workflows', 'delete', 'pair')).out).toBe('default/pair is gone; its runs stay\n');
    expect((await orrery('workflows', 'delete', 'pair')).code).toBe(2);
  });
});
