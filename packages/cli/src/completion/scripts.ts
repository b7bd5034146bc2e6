/**
 * The scripts that shells read. Each finds the place that the words before the cursor lead to, and offers what may follow
 * it there; after an option that takes a value, and where nothing fits, names of files.
 */
import type { Place, Word } from './tree.ts';

/** By the name of the shell. */
export const scripts = { bash, zsh, fish } as const;

function bash(places: readonly Place[]): string {
  return `# orrery for bash; add to ~/.bashrc: source <(orrery completion bash)
_orrery() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place='' words='' values='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
${cases(places, 'place="$place ${COMP_WORDS[i]}"')}
    esac
  done
  case "$place" in
${places.map(({ path, ...place }) => `    '${at(path)}') words='${wordsOf(place).join(' ')}' values='${valuesOf(place).join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=()
  case " $values " in *" $previous "*) return ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _orrery orrery`;
}

function zsh(places: readonly Place[]): string {
  return `#compdef orrery
# orrery for zsh; add to ~/.zshrc, after compinit: source <(orrery completion zsh)
_orrery() {
  local place='' values='' i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
${cases(places, 'place="$place ${words[i]}"')}
    esac
  done
  case "$place" in
${places
  .map(
    ({ path, ...place }) => `    '${at(path)}')
      values='${valuesOf(place).join(' ')}'
      offered=(${described(place).join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  case " $values " in *" \${words[CURRENT-1]} "*) _files; return ;; esac
  _describe -t commands orrery offered || _files
}
compdef _orrery orrery`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const here = `complete -c orrery -n '__orrery_at "${path}"'`;
    return [
      ...commands.map(({ forms, text }) => `${here} -f -a ${forms[0]} -d '${quoted(text)}'`),
      ...options.map(({ forms, text, takesValue }) => {
        const names = forms.map((form) =>
          form.startsWith('--') ? `-l ${form.slice(2)}` : `-s ${form.slice(1)}`,
        );
        return `${here} ${names.join(' ')}${takesValue ? ' -r' : ''} -d '${quoted(text)}'`;
      }),
    ];
  });
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# orrery for fish; run: orrery completion fish > ~/.config/fish/completions/orrery.fish
function __orrery_at
  set -l place ''
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$place $word")
    contains -- $next ${known.join(' ')}; and set place $next
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}`;
}

/** A place as the scripts build it up: each word with a blank before it. */
function at(path: string): string {
  return path === '' ? '' : ` ${path}`;
}

/** The arm of a \`case\` that knows all places below the program. */
function cases(places: readonly Place[], then: string): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${at(path)}'`);
  return `      ${known.join('|')}) ${then} ;;`;
}

type Offered = Omit<Place, 'path'>;

function wordsOf({ commands, options }: Offered): string[] {
  return [...commands, ...options].flatMap(({ forms }) => forms.at(-1) ?? []);
}

function valuesOf({ options }: Offered): string[] {
  return options.filter(({ takesValue }) => takesValue).flatMap(({ forms }) => forms);
}

function described({ commands, options }: Offered): string[] {
  const line = ({ forms, text }: Word) => `'${forms.at(-1)}:${quoted(text)}'`;
  return [...commands, ...options].map(line);
}

/** A text within single quotes, in all three shells. */
function quoted(text: string): string {
  return text.replaceAll("'", '').replaceAll('\\', '');
}
