/** Declares `orrery completion`; what it does is loaded when it is called. */
import { Argument, type Command } from 'commander';

/** Adds `completion` to the program, which has all its other commands by then. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print what makes a shell complete the commands and options of orrery')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .action(async (shell) => {
      const [{ treeOf }, { scripts }] = await Promise.all([import('./tree.ts'), import('./scripts.ts')]);
      console.log(scripts[shell as keyof typeof scripts](treeOf(program)));
    });
}
