/** The shape of a run that is being read: its buttons, its lines, and the ground of the view it will have. */
import { Bone, Skeleton, SkeletonRows } from '../../parts/skeleton.tsx';
import style from './run.module.css';
import type { runViews } from './run-search.ts';

/** Placeholder of the buttons. */
export function ActionsSkeleton() {
  return (
    <Skeleton silent className={style.bones}>
      {['130px', '90px', '140px', '85px', '76px'].map((width) => (
        <Bone key={width} width={width} height={30} />
      ))}
    </Skeleton>
  );
}

/** Placeholder of the lines below the title and of the views' tools. */
export function LinesSkeleton() {
  return (
    <Skeleton silent className={style.boneLines}>
      <div className={style.boneLine}>
        <Bone width="340px" />
      </div>
      <div className={style.boneLine}>
        <Bone width="520px" />
      </div>
      <div className={style.bones}>
        {['200px', '180px', '90px', '110px'].map((width) => (
          <Bone key={width} width={width} height={30} />
        ))}
      </div>
    </Skeleton>
  );
}

const bars = [
  [0, 18],
  [18, 26],
  [18, 14],
  [44, 30],
  [74, 12],
  [74, 24],
] as const;

/** Placeholder of the view. */
export function ViewSkeleton({ view }: { view: (typeof runViews)[number] }) {
  if (view === 'table') return <SkeletonRows rows={12} />;
  if (view === 'graph')
    return (
      <Skeleton className={style.boneGround}>
        <Bone width="180px" height={46} />
        <Bone width="180px" height={46} />
        <Bone width="180px" height={46} />
      </Skeleton>
    );
  return (
    <Skeleton className={style.boneBars}>
      {bars.map(([from, width]) => (
        <div key={`${from} ${width}`} className={style.boneBar}>
          <Bone width="160px" />
          <div style={{ marginLeft: `${from * 0.7}%`, width: `${width * 0.7}%` }}>
            <Bone height={14} />
          </div>
        </div>
      ))}
    </Skeleton>
  );
}
