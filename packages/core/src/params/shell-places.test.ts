import { describe, expect, it } from 'vitest';
import { REFERENCE_MARK, shellPlaces } from './shell-places.ts';

/** The kind of place of each `@`, and how many backslashes it needs. */
function places(script: string): string {
  return shellPlaces(script.replaceAll('@', REFERENCE_MARK))
    .map(({ kind, escapes }) => (escapes === 0 ? kind : `${kind}+${escapes}`))
    .join(' ');
}

describe('a reference in a shell script', () => {
  it.each([
    ['echo @ "@" \'@\'', 'bare quoted single'],
    ['x=@ y="@"; export A=@', 'quoted quoted quoted'],
    ["# it's @\necho @", 'comment bare'],
    ['echo it\\\'s "@"', 'quoted'],
    ["echo $'it\\'s @' @", 'single bare'],
    ["echo 'a'\"@\"'b'", 'quoted'],
    ['echo "$(cat @ "@")" `cat @`', 'bare quoted bare'],
    ['echo ${a:-@} "${a:-@}"', 'bare quoted'],
    ['case @ in a) echo @;; esac; echo "@"', 'bare bare quoted'],
    ['x=$(case a in a) echo "@";; esac); echo "@"', 'quoted quoted'],
    ['[ @ = true ] && [[ @ = a ]]', 'bare quoted'],
  ])('%j stands in %s', (script, expected) => expect(places(script)).toBe(expected));

  it.each([
    ['cat <<E\n@ $(echo @)\nE\necho @', 'quoted bare bare'],
    ["cat <<'E' >f; echo @\n@ it's\nE\necho \"@\"", 'bare here-document quoted'],
    ['cat <<-"E"\n\t@\n\tE\necho @', 'here-document bare'],
    ['cat <<A <<\\B\n@\nA\n@\nB\n@', 'quoted here-document bare'],
    ['cat <<<"@"', 'quoted'],
  ])('%j: in a here-document as its end says: %s', (script, expected) =>
    expect(places(script)).toBe(expected),
  );

  it.each([
    ['echo $((@ + (1))) @', 'arithmetic bare'],
    ['((@ > 1)) && echo @', 'arithmetic bare'],
    ['let x=@; declare -i n=@', 'arithmetic arithmetic'],
    ['[[ @ -eq 1 && "@" -lt 2 ]]', 'arithmetic arithmetic'],
    ['a[@]=1; echo ${a[@]} "${s:@:1}"', 'arithmetic arithmetic arithmetic'],
    ["echo '${f(area='$((@ * @))')}'", 'arithmetic arithmetic'],
  ])('%j is evaluated where shells evaluate: %s', (script, expected) =>
    expect(places(script)).toBe(expected),
  );

  it.each([
    ['sh -c "echo @"', 'bare+1'],
    ["sh -c 'echo @'", 'bare'],
    ['eval echo @ "a @"', 'bare+1 bare+1'],
    ['if sudo /bin/bash -lc "x \'@\' \\"@\\""; then echo @; fi', 'single+1 quoted+1 bare'],
    ['sh -c "sh -c \\"echo @\\""', 'bare+3'],
    ['trap "rm @" EXIT; sh -c true "@"', 'bare+1 quoted'],
    ['ssh host "ls @"; su -c "ls @" bob', 'elsewhere elsewhere'],
  ])('%j reaches the shell that reads it: %s', (script, expected) => expect(places(script)).toBe(expected));

  it('is found in any text, in a time that grows with its length', () => {
    for (const text of ['"${', '$(', '`', "'", '<<E\n', '((', '[[ ', 'eval "', '@'])
      expect(shellPlaces(text.repeat(20_000).replaceAll('@', REFERENCE_MARK)).length).toBe(
        text === '@' ? 20_000 : 0,
      );
    const word = `declare ${REFERENCE_MARK.repeat(300_000)}\n[[ ${`${REFERENCE_MARK} `.repeat(50_000)}]]`;
    expect(shellPlaces(word).length).toBe(350_000);
    expect(places('${"$('.repeat(5_000) + '@'.repeat(5_000)).split(' ').length).toBe(5_000);
  });
});
