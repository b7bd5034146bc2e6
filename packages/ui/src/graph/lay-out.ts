/** Finds the layout of a graph: kept from before, by depth where it is huge, else by the library in its worker. */
import workerAddress from 'elkjs/lib/elk-worker.min.js?url';
import type { Graph } from '../model/graph.ts';
import { BY_DEPTH_ABOVE, type ElkAnswer, fromElk, type Layout, layoutByDepth, toElk } from './layout.ts';
import { keepLayout, readLayout } from './layout-cache.ts';

interface Elk {
  layout(graph: ReturnType<typeof toElk>): Promise<ElkAnswer>;
}

let elk: Promise<Elk> | undefined;

/**
 * Computes the layout of a graph; `begins` is called first. The library is loaded with the first graph that
 * needs it.
 */
export async function layOut(graph: Graph, begins: () => void): Promise<Layout> {
  if (graph.nodes.length > BY_DEPTH_ABOVE) return layoutByDepth(graph);
  const kept = await readLayout(graph.hash);
  if (kept && kept.x.length === graph.nodes.length) return kept;
  begins();
  // One that could not be loaded is loaded again for the next graph.
  elk ??= loadElk().catch((error: unknown) => {
    elk = undefined;
    throw error;
  });
  const layout = fromElk(await (await elk).layout(toElk(graph)));
  void keepLayout(graph.hash, layout);
  return layout;
}

async function loadElk(): Promise<Elk> {
  const { default: Elk } = await import('elkjs/lib/elk-api.js');
  return new Elk({ workerFactory: () => new Worker(workerAddress) });
}
