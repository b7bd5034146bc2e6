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

/** What the graph shows and tells; boxes go by their number in the graph. */
export interface GraphViewProps {
  readonly graph: Graph;
  readonly contentOf: (node: number) => BoxContent;
  /** The name of a box for those who do not see it. */
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
/** Longer than most layouts take; nobody should look at nothing for longer. */
const PATIENCE = 300;

export function GraphView(props: GraphViewProps) {
  const { graph, current, opening, label } = props;
  const text = useText();
  const [laidOut, setLaidOut] = useState<{ graph: Graph; layout: Layout }>();
  const [hovered, setHovered] = useState(-1);
  /** The size of the canvas, nothing until it has one: a layout that is at hand may come before it. */
  const [measured, setMeasured] = useState('');
  const [failure, setFailure] = useState<string>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const proxy = useRef<HTMLButtonElement>(null);
  const sheens = useRef<HTMLDivElement>(null);
  const surface = useRef<Surface>(undefined);
  const latest = useRef({ props, laidOut });
  latest.current = { props, laidOut };
  const placed = useRef<string>(undefined);
  /** Where the picture was put; someone who has moved it since wants it to stay. */
  const opened = useRef<View>(undefined);
  const refocus = useRef(false);

  useEffect(() => {
    let wanted = true;
    // A graph is on screen soon, by depth, and is drawn anew when its layout is found; a large one takes long for sure.
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
          const { laidOut: before, props: now } = latest.current;
          const on = surface.current;
          if (before?.graph === graph && on) {
            if (isSame(on.view(), opened.current)) placed.current = undefined;
            else keepPlace(on, before.layout, layout, Math.max(now.current, now.opening, 0));
          }
          setLaidOut({ graph, layout });
        },
        (error: unknown) => wanted && setFailure(String(error)),
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
      const box = now.props.current >= 0 ? now.props.current : 0;
      if (proxy.current && now.laidOut) placeBox(proxy.current, now.laidOut.layout, box, view);
      if (sheens.current)
        sheens.current.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.zoom})`;
    };
    const started = startSurface(canvas.current, {
      moved: (view, screen) => {
        place(view);
        setMeasured(screen.width > 0 ? `${screen.width} ${screen.height}` : '');
      },
      pressed: (box) => {
        refocus.current = box >= 0 && box !== latest.current.props.current;
        if (box >= 0) latest.current.props.onCurrent(box);
        proxy.current?.focus({ preventScroll: true });
      },
      opened: (box) => latest.current.props.onOpen(box),
      hovered: setHovered,
    });
    surface.current = started;
    const themed = new MutationObserver(() => started.repaint());
    themed.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    return () => {
      themed.disconnect();
      started.stop();
    };
  }, []);

  const shown = laidOut;
  const ways = useMemo(() => shown && waysOf(shown.graph), [shown]);
  const scene = useScene(props, shown, hovered);
  useEffect(() => {
    if (scene) surface.current?.show(scene);
  }, [scene]);

  // A new picture opens where it matters; the same one keeps its place.
  useEffect(() => {
    const on = surface.current;
    if (!shown || !on || placed.current === shown.graph.hash || !measured) return;
    const first = placed.current === undefined;
    placed.current = shown.graph.hash;
    const whole = { x: 0, y: 0, width: shown.layout.width, height: shown.layout.height };
    const all = fit(whole, on.screen());
    const box = opening >= 0 ? opening : 0;
    on.look(
      all.zoom >= READABLE || !first
        ? all
        : reveal(centre(boxOf(shown.layout, box), on.screen(), 0.85), boxOf(shown.layout, box), on.screen()),
    );
    opened.current = on.view();
  }, [shown, opening, measured]);

  // Whoever chose a box goes on seeing it, whatever room there is.
  useEffect(() => {
    const on = surface.current;
    if (!shown || !on || !measured || current < 0 || current >= shown.layout.x.length) return;
    const isUntouched = isSame(on.view(), opened.current);
    on.look(reveal(on.view(), boxOf(shown.layout, current), on.screen()));
    if (isUntouched) opened.current = on.view();
  }, [current, shown, measured]);

  const focused = current >= 0 ? current : 0;
  useLayoutEffect(() => {
    if (!shown || !proxy.current || !surface.current || focused >= shown.layout.x.length) return;
    placeBox(proxy.current, shown.layout, focused, surface.current.view());
    if (refocus.current) proxy.current.focus({ preventScroll: true });
    refocus.current = false;
  }, [focused, shown]);

  const zoomBy = (factor: number) => {
    const on = surface.current;
    if (on) on.look(zoomAt(on.view(), factor, { x: on.screen().width / 2, y: on.screen().height / 2 }));
  };
  const fitAll = () => {
    const on = surface.current;
    if (on && shown)
      on.look(fit({ x: 0, y: 0, width: shown.layout.width, height: shown.layout.height }, on.screen()));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!shown || !ways || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = keys[event.key];
    refocus.current = direction !== undefined;
    if (direction) props.onCurrent(walk(ways, shown.layout, Math.max(current, 0), direction));
    else if (event.key === '+' || event.key === '=') zoomBy(1.25);
    else if (event.key === '-') zoomBy(0.8);
    else if (event.key === '0') fitAll();
    else if (event.key === '_' && props.onFold) props.onFold();
    else if (event.key === 'Enter' && current >= 0) props.onOpen(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const running = shown && scene ? runningBoxes(scene) : [];
  return (
    <section className={style.plane} aria-label={label}>
      <canvas
        ref={canvas}
        data-over={hovered >= 0}
        title={hovered >= 0 ? props.nameOf(hovered) : undefined}
      />
      <div ref={sheens} className={style.sheens}>
        {running.map((box) => (
          <span
            key={box}
            className={style.sheen}
            style={{ left: shown?.layout.x[box], top: shown?.layout.y[box], ...BOX }}
          />
        ))}
      </div>
      {shown && shown.layout.x.length > 0 && (
        <button
          type="button"
          // Another box is another element: a name that changes under the focus is not read aloud.
          key={focused}
          ref={proxy}
          className={style.proxy}
          aria-label={props.nameOf(focused)}
          onKeyDown={onKeyDown}
          onClick={() => props.onCurrent(focused)}
        />
      )}
      <div className={style.tools}>
        <Tool label={text('graph.zoomIn')} act={() => zoomBy(1.25)} icon={IconPlus} />
        <Tool label={text('graph.zoomOut')} act={() => zoomBy(0.8)} icon={IconMinus} />
        <Tool label={text('graph.fit')} act={fitAll} icon={IconFocusCentered} />
        {props.onFold && <Tool label={text('graph.fold')} act={props.onFold} icon={IconStackPush} />}
      </div>
      {!shown && <p className={style.note}>{failure ?? text('graph.layingOut')}</p>}
    </section>
  );
}

/** A new scene only when something in it changed. */
function useScene(
  { contentOf, version, current, marked, found, path }: GraphViewProps,
  shown: { graph: Graph; layout: Layout } | undefined,
  hovered: number,
): Scene | undefined {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for what contentOf reads
  return useMemo(
    () => shown && { ...shown, contentOf, current, hovered, marked, found, path },
    [shown, contentOf, version, current, hovered, marked, found, path],
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
