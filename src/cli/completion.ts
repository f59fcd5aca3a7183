import { Argument, Command } from 'commander';
import { terminal } from './terminal.ts';

/** The word with which the scripts ask for what a command line may continue with. */
export const COMPLETE = '__complete';

/** Each script passes the words before the cursor, and shows the answer: lines of a word, a tab and its help. */
const scripts = {
  bash: `_gasdesk() {
  local word rest
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <("\${COMP_WORDS[0]}" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _gasdesk gasdesk
`,
  zsh: `#compdef gasdesk
_gasdesk() {
  local -a found shown
  local line
  for line in "\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    found+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  }")
  done
  if (( \${#found} )); then
    compadd -l -d shown -a found
  else
    _files
  fi
}
if [[ $funcstack[1] == _gasdesk ]]; then
  _gasdesk "$@"
else
  compdef _gasdesk gasdesk
fi
`,
  fish: `function __gasdesk_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l found ($words[1] ${COMPLETE} $words[2..] "$last" 2>/dev/null)
    if set -q found[1]
        string join \\n -- $found
    else
        __fish_complete_path "$last"
    end
end
complete -c gasdesk -f -a '(__gasdesk_complete)'
`,
} as const;

/** `gasdesk completion` */
export const completionCommand = new Command('completion')
  .summary('Print a script with which a shell completes commands, options and names')
  .description('Print a script with which a shell completes commands, options and names')
  .addArgument(new Argument('<shell>', 'shell').choices(Object.keys(scripts)))
  .action((shell: keyof typeof scripts) => void terminal().stdout.write(scripts[shell]));
