import { expect, it } from 'vitest';
import { joined, parted, placeholdersOf } from './placeholders.ts';

it('finds every placeholder with its users, but not what hands values on', () => {
  const tasks = [
    { name: 'a', with: { script: 'echo ${day} $[yyyyMMdd-1] ${day}' }, params: { to: '${region}' } },
    {
      name: 'b',
      with: { list: [{ deep: '${day}' }, 3, null], out: "echo '${setValue(x=1)}'" },
      params: {} as Record<string, string>,
    },
  ];
  expect(placeholdersOf(tasks)).toEqual([
    { text: '${day}', tasks: ['a', 'b'] },
    { text: '$[yyyyMMdd-1]', tasks: ['a'] },
    { text: '${region}', tasks: ['a'] },
  ]);
  expect(parted(joined(['a\nb', '', 'c']))).toEqual(['a\nb', '', 'c']);
});
