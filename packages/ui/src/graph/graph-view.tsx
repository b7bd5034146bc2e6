/**
 * The graph of a run on a canvas. One tab stop: a button without a look of its own lies over the current box, has
 * its name, and takes the arrow keys. Everything else is drawn.
 */
import { ActionIcon } from '@mantine/core';
import { IconFocusCentered, IconMinus, IconPlus, IconStackPush } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import type { Graph } from '../model/graph.ts';
import style from './graph-view.module.css';
import { layOut } from './lay-out.ts';
import { BOX, CAREFUL_UP_TO, type Layout, layoutByDepth } from './layout.ts';
import type { BoxContent, Scene } from './scene.ts';
import { type Surface, startSurface } from './surface.ts';
import { centre, fit, reveal, type View, zoomAt } from './view.ts';
import { type Direction, walk, waysOf } from './walk.ts';

/** The content and callbacks of the graph; boxes are identified by their number in the graph. */
export interface GraphViewProps {
  readonly graph: Graph;
  readonly contentOf: (node: number) => BoxContent;
  /** The name of a box for screen readers. */
  readonly nameOf: (node: number) => string;
  /** Changes whenever a box may look different. */
  readonly version: unknown;
  readonly label: string;
  readonly current: number;
  /** Where to look first when not everything fits. */
  readonly opening: number;
  readonly marked: ReadonlySet<number> | null;
  readonly found: ReadonlySet<number> | null;
  readonly path: ReadonlySet<number>;
  readonly onCurrent: (node: number) => void;
  readonly onOpen: (node: number) => void;
  /** Several boxes can be chosen: with Shift, by a frame around them, or one by a click. */
  readonly onChosen?: ((nodes: readonly number[], how: 'add' | 'toggle') => void) | undefined;
  /** Arrows can be drawn from one box to another. */
  readonly onLink?: ((from: number, to: number) => void) | undefined;
  /** Something was dropped on a box, on an arrow, or on neither. */
  readonly onDropped?: ((data: DataTransfer, box: number, edge: number) => void) | undefined;
  /** Closes what was opened; undefined where there is nothing to close. */
  readonly onFold?: (() => void) | undefined;
}

const keys: Readonly<Record<string, Direction>> = {
  ArrowRight: 'right',
  ArrowLeft: 'left',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
};

/** A readable size; a graph that would have to be smaller opens on its opening box instead. */
const READABLE = 0.62;
const MOST_SHEENS = 60;
/** Longer than most layouts take: after this the graph is drawn by depth rather than stay empty. */
const PATIENCE = 300;

/** A graph with its layout, and the props given with this graph. */
interface Shown {
  readonly told: GraphViewProps;
  readonly layout: Layout;
}

export function GraphView(newest: GraphViewProps) {
  const { graph, label } = newest;
  const text = useText();
  const [laidOut, setLaidOut] = useState<{ graph: Graph; layout: Layout }>();
  const [hovered, setHovered] = useState(-1);
  /** The size of the canvas, nothing until it has one: a layout that is at hand may come before it. */
  const [measured, setMeasured] = useState('');
  const canvas = useRef<HTMLCanvasElement>(null);
  const proxy = useRef<HTMLButtonElement>(null);
  const sheens = useRef<HTMLDivElement>(null);
  const surface = useRef<Surface>(undefined);
  // While the layout of another graph is looked for, boxes, names and keys are those of the graph on screen.
  const latest = useRef<Shown>(undefined);
  if (laidOut?.graph === graph) latest.current = { told: newest, layout: laidOut.layout };
  const { layout, told = newest } = latest.current ?? {};
  const { current, opening } = told;
  const placed = useRef<string>(undefined);
  /** The initial view; if the user has moved it since, it stays. */
  const opened = useRef<View>(undefined);
  const refocus = useRef(false);

  useEffect(() => {
    let wanted = true;
    // A graph is on screen soon, by depth, and is drawn again when its layout is found; a large one takes long for sure.
    let provisional: ReturnType<typeof setTimeout> | undefined;
    const byDepth = () => setLaidOut({ graph, layout: layoutByDepth(graph) });
    layOut(graph, () => {
      if (!wanted) return;
      if (graph.nodes.length > CAREFUL_UP_TO) byDepth();
      else provisional = setTimeout(byDepth, PATIENCE);
    })
      .then(
        (layout) => {
          if (!wanted) return;
          const before = latest.current;
          const on = surface.current;
          if (before?.told.graph === graph && on) {
            if (isSame(on.view(), opened.current)) placed.current = undefined;
            else keepPlace(on, before.layout, layout, Math.max(before.told.current, before.told.opening, 0));
          }
          setLaidOut({ graph, layout });
        },
        // If the server is away or has another build, the library cannot be loaded, and the layout by depth
        // stays.
        () => wanted && byDepth(),
      )
      .finally(() => clearTimeout(provisional));
    return () => {
      wanted = false;
      clearTimeout(provisional);
    };
  }, [graph]);

  // The surface lives as long as the canvas; it asks for the newest properties when it is used.
  useEffect(() => {
    if (!canvas.current) return;
    const place = (view: View) => {
      const now = latest.current;
      if (proxy.current && now) placeBox(proxy.current, now.layout, Math.max(now.told.current, 0), view);
      if (sheens.current)
        sheens.current.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.zoom})`;
    };
    const started = startSurface(canvas.current, {
      moved: (view, screen) => {
        place(view);
        setMeasured(screen.width > 0 ? `${screen.width} ${screen.height}` : '');
      },
      pressed: (box) => {
        refocus.current = box >= 0 && box !== latest.current?.told.current;
        if (box >= 0) latest.current?.told.onCurrent(box);
        proxy.current?.focus({ preventScroll: true });
      },
      opened: (box) => latest.current?.told.onOpen(box),
      hovered: setHovered,
      chooses: () => latest.current?.told.onChosen !== undefined,
      chosen: (boxes, how) => latest.current?.told.onChosen?.(boxes, how),
      links: () => latest.current?.told.onLink !== undefined,
      linked: (from, to) => latest.current?.told.onLink?.(from, to),
    });
    surface.current = started;
    const themed = new MutationObserver(() => started.repaint());
    themed.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    return () => {
      themed.disconnect();
      started.stop();
    };
  }, []);

  const ways = useMemo(() => waysOf(told.graph), [told.graph]);
  const scene = useScene(told, layout, hovered);
  useEffect(() => {
    if (scene) surface.current?.show(scene);
  }, [scene]);

  // A new picture opens where it matters; the same one keeps its place.
  useEffect(() => {
    const on = surface.current;
    if (!layout || !on || placed.current === told.graph.hash || !measured) return;
    const first = placed.current === undefined;
    placed.current = told.graph.hash;
    const whole = { x: 0, y: 0, width: layout.width, height: layout.height };
    const all = fit(whole, on.screen());
    const box = opening >= 0 ? opening : 0;
    on.look(
      all.zoom >= READABLE || !first
        ? all
        : reveal(centre(boxOf(layout, box), on.screen(), 0.85), boxOf(layout, box), on.screen()),
    );
    opened.current = on.view();
  }, [layout, told.graph, opening, measured]);

  // The selected box stays in view when the size of the view changes.
  useEffect(() => {
    const on = surface.current;
    if (!layout || !on || !measured || current < 0) return;
    const isUntouched = isSame(on.view(), opened.current);
    on.look(reveal(on.view(), boxOf(layout, current), on.screen()));
    if (isUntouched) opened.current = on.view();
  }, [current, layout, measured]);

  const focused = Math.max(current, 0);
  useLayoutEffect(() => {
    if (!layout || !proxy.current || !surface.current) return;
    placeBox(proxy.current, layout, focused, surface.current.view());
    if (refocus.current) proxy.current.focus({ preventScroll: true });
    refocus.current = false;
  }, [focused, layout]);

  const zoomBy = (factor: number) => {
    const on = surface.current;
    if (on) on.look(zoomAt(on.view(), factor, { x: on.screen().width / 2, y: on.screen().height / 2 }));
  };
  const fitAll = () => {
    const on = surface.current;
    if (on && layout) on.look(fit({ x: 0, y: 0, width: layout.width, height: layout.height }, on.screen()));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!layout || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = keys[event.key];
    refocus.current = direction !== undefined;
    if (direction) told.onCurrent(walk(ways, layout, focused, direction));
    else if (event.key === '+' || event.key === '=') zoomBy(1.25);
    else if (event.key === '-') zoomBy(0.8);
    else if (event.key === '0') fitAll();
    else if (event.key === '_' && told.onFold) told.onFold();
    else if (event.key === 'Enter' && current >= 0) told.onOpen(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const running = scene ? runningBoxes(scene) : [];
  return (
    <section
      className={style.plane}
      aria-label={label}
      onDragOver={told.onDropped && ((event) => event.preventDefault())}
      onDrop={(event) => {
        const on = surface.current;
        if (!told.onDropped || !on) return;
        event.preventDefault();
        const { box, edge } = on.under(event.nativeEvent);
        told.onDropped(event.dataTransfer, box, edge);
      }}
    >
      <canvas ref={canvas} data-over={hovered >= 0} title={hovered >= 0 ? told.nameOf(hovered) : undefined} />
      <div ref={sheens} className={style.sheens}>
        {running.map((box) => (
          <span
            key={box}
            className={style.sheen}
            style={{ left: layout?.x[box], top: layout?.y[box], ...BOX }}
          />
        ))}
      </div>
      {layout && layout.x.length > 0 && (
        <button
          type="button"
          // Another box is another element: a name that changes under the focus is not read aloud.
          key={focused}
          ref={proxy}
          className={style.proxy}
          aria-label={told.nameOf(focused)}
          onKeyDown={onKeyDown}
          onClick={() => told.onCurrent(focused)}
        />
      )}
      <div className={style.tools}>
        <Tool label={text('graph.zoomIn')} act={() => zoomBy(1.25)} icon={IconPlus} />
        <Tool label={text('graph.zoomOut')} act={() => zoomBy(0.8)} icon={IconMinus} />
        <Tool label={text('graph.fit')} act={fitAll} icon={IconFocusCentered} />
        {told.onFold && <Tool label={text('graph.fold')} act={told.onFold} icon={IconStackPush} />}
      </div>
      {!layout && <p className={style.note}>{text('graph.layingOut')}</p>}
    </section>
  );
}

/** A new scene only when something in it changed. */
function useScene(
  { graph, contentOf, version, current, marked, found, path }: GraphViewProps,
  layout: Layout | undefined,
  hovered: number,
): Scene | undefined {
  return useMemo(
    () => layout && { graph, layout, contentOf, version, current, hovered, marked, found, path },
    [graph, layout, contentOf, version, current, hovered, marked, found, path],
  );
}

function runningBoxes({ layout, contentOf }: Scene): number[] {
  const running: number[] = [];
  for (let box = 0; box < layout.x.length && running.length < MOST_SHEENS; box++)
    if (contentOf(box).state === 'running') running.push(box);
  return running;
}

function isSame(a: View, b: View | undefined): boolean {
  return a.x === b?.x && a.y === b.y && a.zoom === b.zoom;
}

/** Moves the view so that a box stays where it is on the screen when the layout becomes another. */
function keepPlace(on: Surface, before: Layout, after: Layout, box: number): void {
  const { x, y, zoom } = on.view();
  on.look({
    zoom,
    x: x + (before.x[box] - after.x[box]) * zoom,
    y: y + (before.y[box] - after.y[box]) * zoom,
  });
}

function boxOf({ x, y }: Layout, box: number) {
  return { x: x[box], y: y[box], ...BOX };
}

function placeBox(element: HTMLElement, { x, y }: Layout, box: number, view: View): void {
  element.style.transform = `translate(${x[box] * view.zoom + view.x}px, ${y[box] * view.zoom + view.y}px)`;
  element.style.width = `${BOX.width * view.zoom}px`;
  element.style.height = `${BOX.height * view.zoom}px`;
}

function Tool({ label, act, icon: Icon }: { label: string; act: () => void; icon: typeof IconPlus }) {
  return (
    <ActionIcon variant="subtle" aria-label={label} data-hint={label} onClick={act}>
      <Icon size={16} />
    </ActionIcon>
  );
}
