/** Values by name, such as parameters and outputs; untrusted text. */
import style from './run.module.css';

export function Values({ values, none }: { values: Readonly<Record<string, string>>; none: string }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return <p className="dim">{none}</p>;
  return (
    <dl className={style.facts}>
      {entries.map(([name, value]) => [
        <dt key={name} className="mono">
          {name}
        </dt>,
        <dd key={`${name} value`} className="mono">
          {value}
        </dd>,
      ])}
    </dl>
  );
}
