/** The parts of a page as links, each with its own address; one is the current. */
import { Link } from '../app/link.tsx';
import styles from './tabs.module.css';

interface TabsProps {
  readonly label: string;
  readonly current: string;
  readonly tabs: readonly { readonly name: string; readonly label: string; readonly to: string }[];
}

export function Tabs({ label, current, tabs }: TabsProps) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map(({ name, label: word, to }) => (
        <Link key={name} to={to} aria-current={name === current ? 'page' : undefined}>
          {word}
        </Link>
      ))}
    </nav>
  );
}
