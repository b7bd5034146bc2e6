/** One frame of a graph as data: drawing reads it and changes nothing. */
import type { Graph } from '../model/graph.ts';
import type { Layout } from './layout.ts';

/** What a graph is drawn with: on the screen, or on pixels that are kept. */
export type Pen = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** The content of a box. */
export interface BoxContent {
  readonly title: string;
  readonly state: string;
  /** Below the title: time, attempts, or why it waits. */
  readonly line: string;
  readonly type: string;
  /** Whether it has no state and shows its type instead. */
  readonly plain?: boolean;
  /** Shares of shards, or of the tasks in a fold, by state; null for a plain task. */
  readonly parts: readonly (readonly [state: string, count: number])[] | null;
}

/** Everything a frame shows. Sets hold boxes by number. */
export interface Scene {
  readonly graph: Graph;
  readonly layout: Layout;
  readonly contentOf: (node: number) => BoxContent;
  /** Changes whenever a box may look different. */
  readonly version: unknown;
  readonly current: number;
  readonly hovered: number;
  /** The marked boxes, such as those that would run again; all others are dimmed. */
  readonly marked: ReadonlySet<number> | null;
  /** What was looked for; everything else steps back. */
  readonly found: ReadonlySet<number> | null;
  /** Boxes of the critical path. */
  readonly path: ReadonlySet<number>;
}
