/** Home before anything has answered: the places of what will be there. */
import { Bone, Skeleton } from '../../parts/skeleton.tsx';
import styles from './home.module.css';

const needs = ['44%', '36%', '40%'];
const counters = Array.from({ length: 9 }, (_, place) => place);
const panels = ['runs', 'ticks', 'workflows', 'changes'];
const lines = ['52%', '60%', '48%', '56%'];

export function HomeSkeleton() {
  return (
    <Skeleton className={styles.skeleton}>
      <div className={styles.needs}>
        {needs.map((width) => (
          <div key={width} className={styles.need} data-family="none">
            <Bone width={width} />
          </div>
        ))}
      </div>
      <div className={styles.counters}>
        {counters.map((place) => (
          <div key={place} className={styles.counter}>
            <Bone width="60%" />
            <Bone width="32%" height={20} />
          </div>
        ))}
      </div>
      <div className={styles.columns}>
        {panels.map((panel) => (
          <div key={panel} className={styles.panel}>
            <Bone width="24%" height={16} />
            {lines.map((width) => (
              <div key={width} className={styles.line}>
                <Bone width={width} />
              </div>
            ))}
          </div>
        ))}
      </div>
    </Skeleton>
  );
}
