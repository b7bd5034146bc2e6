import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { shouldAlarm, shouldClaim, shouldShed } from './decide.ts';
import { limitOf, type MasterLoad } from './limit.ts';

type Master = { -readonly [K in keyof MasterLoad]: MasterLoad[K] };

/** A cluster as its members see it. A master that crashed unnoticed stays in `masters`, its schedules in `free`. */
interface World {
  schedules: number;
  masters: Master[];
  free: number;
  alarms: Set<string>;
}

const emptyWorld: World = { schedules: 0, masters: [], free: 0, alarms: new Set() };

function worldOf(masters: Partial<Master>[]): World {
  const full = masters.map((master, i) => ({
    name: `m${i}`,
    tolerance: 1,
    alarmAbove: 9,
    held: 0,
    ...master,
  }));
  return {
    ...structuredClone(emptyWorld),
    schedules: full.reduce((sum, one) => sum + one.held, 0),
    masters: full,
  };
}

function get(world: World, name: string): Master {
  return world.masters.find((master) => master.name === name)!;
}

function join(world: World, name: string, alarmAbove: number): void {
  world.masters.push({ name, tolerance: vectors.demo.n, alarmAbove, held: 0 });
}

function create(world: World, count: number): void {
  world.schedules += count;
  world.free += count;
}

/** One attempt of one master: true when it took a free schedule. */
function claim(world: World, name: string): boolean {
  if (world.free === 0 || !shouldClaim(world, name).yes) return false;
  get(world, name).held++;
  world.free--;
  if (shouldAlarm(world, name).yes) world.alarms.add(name);
  return true;
}

/** The masters take free schedules in this order; each must succeed. */
function take(world: World, order: string): void {
  for (const name of order) expect(claim(world, name), `${name} takes one`).toBe(true);
}

function release(world: World, name: string, count: number): void {
  get(world, name).held -= count;
  world.free += count;
}

/** Puts a master on the drain list until it gave back so many, which others take, then removes it again. */
function drain(world: World, name: string, takers: string): void {
  get(world, name).offline = true;
  expect(shouldShed(world, name).yes).toBe(true);
  release(world, name, takers.length);
  expect(claim(world, name)).toBe(false);
  take(world, takers);
  get(world, name).offline = false;
}

function crash(world: World, name: string, noticed: boolean): void {
  release(world, name, get(world, name).held);
  if (noticed) world.masters = world.masters.filter((master) => master.name !== name);
}

const script: Record<string, (world: World) => void> = {
  '1': (world) => {
    join(world, 'A', 10);
    create(world, 9);
    take(world, 'AAAAAAAAA');
  },
  '2': (world) => createFor(world, 'A'),
  '3': (world) => createFor(world, 'A'),
  '4': (world) => join(world, 'B', 8),
  '5': (world) => createFor(world, 'B'),
  '6': (world) => createFor(world, 'A'),
  '7': (world) => drain(world, 'A', 'BBBBB'),
  '8': (world) => createFor(world, 'ABABA'),
  '9a': (world) => {
    crash(world, 'B', true);
    take(world, 'AAAAAAAA');
  },
  '9b': (world) => {
    crash(world, 'B', false);
    take(world, 'AAAAAAAA');
  },
  '10': (world) => createFor(world, 'B'),
  '11': (world) => {
    join(world, 'C', 4);
    expect(shouldClaim(world, 'A')).toEqual({ yes: false, reason: 'A holds 10 of at most 10' });
  },
  '12': (world) => {
    drain(world, 'A', 'C');
    drain(world, 'B', 'CC');
  },
  '13a': (world) => {
    crash(world, 'B', true);
    take(world, 'AAAACCC');
  },
  '13b': (world) => {
    crash(world, 'B', false);
    take(world, 'A');
    expect(claim(world, 'A')).toBe(false);
    take(world, 'CCCCCC');
  },
  '14': (world) => createFor(world, 'A'),
  '15': (world) => {
    create(world, 1);
    expect(claim(world, 'A')).toBe(false);
    take(world, 'C');
  },
};

function createFor(world: World, takers: string): void {
  for (const taker of takers) {
    create(world, 1);
    take(world, taker);
  }
}

/** The world after a step of the demo, and before it again for each caller. */
function after(id: string): World {
  const at = vectors.demo.steps.findIndex((step) => step.id === id);
  const { from = vectors.demo.steps[at - 1]?.id } = vectors.demo.steps[at];
  const world = from === undefined ? structuredClone(emptyWorld) : after(from);
  world.alarms.clear();
  script[id](world);
  return world;
}

describe('the demo', () => {
  it.each(vectors.demo.steps)('step $id: $event', ({ id, K, S, N, X, alarm }) => {
    const world = after(id);
    expect(world.schedules).toBe(K);
    expect(world.masters).toHaveLength(S);
    for (const { name } of world.masters) expect(limitOf(world, name)).toBe(N);
    const held = Object.fromEntries(world.masters.map((master) => [master.name, master.held]));
    // A crash that nobody noticed leaves B in sight, holding nothing.
    expect(held).toEqual('B' in X || !('B' in held) ? X : { ...X, B: 0 });
    expect([...world.alarms].sort()).toEqual(alarm);
    expect(world.free).toBe(0);
  });

  it('leaves no schedule free when B dies unnoticed, in whichever order A and C see the 7 releases', () => {
    const outcomes = new Set<string>();
    for (let bits = 0; bits < 2 ** 7; bits++) {
      const world = after('12');
      crash(world, 'B', false);
      for (let i = 0; i < 7; i++) {
        const [first, second] = (bits >> i) % 2 === 0 ? 'AC' : 'CA';
        expect(claim(world, first) || claim(world, second)).toBe(true);
      }
      expect(world.free).toBe(0);
      expect([...world.alarms]).toEqual(['C']);
      outcomes.add(`A=${get(world, 'A').held} C=${get(world, 'C').held}`);
    }
    expect([...outcomes].sort()).toEqual(['A=10 C=9', 'A=9 C=10']);
  });
});

const events = fc.array(
  fc.record({ kind: fc.constantFrom('create', 'join', 'drop', 'sweep'), pick: fc.nat(1_000) }),
  { maxLength: 60 },
);

/** Every online master tries all free schedules, starting with a random one: the repair for lost events. */
function sweep(world: World, pick: number, dead: ReadonlySet<string> = new Set()): void {
  const trying = world.masters.filter((master) => !dead.has(master.name));
  for (let i = 0; i < trying.length; i++) {
    while (claim(world, trying[(pick + i) % trying.length].name));
  }
}

describe('claiming', () => {
  it('holds every schedule once, never above the limit at a claim, also after n deaths, noticed or not', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        events,
        fc.nat(1_000),
        fc.nat(7),
        (tolerance, list, pick, noticed) => {
          const world = worldOf(Array(tolerance + 1).fill({ tolerance }));
          const held = () => world.masters.reduce((sum, master) => sum + master.held, 0);
          for (const event of list) {
            const master = world.masters[event.pick % world.masters.length];
            if (event.kind === 'create') create(world, event.pick % 20);
            if (event.kind === 'join') {
              world.masters.push({ name: `m${world.masters.length}`, tolerance, alarmAbove: 9, held: 0 });
            }
            if (event.kind === 'drop' && master.held > 0) {
              master.held--;
              world.schedules--;
            }
            if (event.kind === 'sweep') {
              const before = world.masters.map((one) => one.held);
              sweep(world, event.pick);
              world.masters.forEach((one, i) => {
                if (one.held > before[i]) expect(one.held).toBeLessThanOrEqual(limitOf(world, one.name));
              });
              expect(world.free).toBe(0);
            }
            expect(held() + world.free).toBe(world.schedules);
          }
          const dead = new Set(
            Array.from(
              { length: tolerance },
              (_, i) => world.masters[(pick + i) % world.masters.length].name,
            ),
          );
          let bit = 1;
          for (const name of dead) {
            crash(world, name, (noticed & bit) > 0);
            bit *= 2;
          }
          sweep(world, pick, dead);
          expect(world.free).toBe(0);
          expect(held()).toBe(world.schedules);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('may leave a schedule free after n + 1 unnoticed deaths, until they are noticed', () => {
    const world = worldOf([{ held: 1 }, { held: 1 }, { held: 1 }]);
    crash(world, 'm1', false);
    crash(world, 'm2', false);
    sweep(world, 0, new Set(['m1', 'm2']));
    expect(world.free).toBe(1);
    world.masters.length = 1;
    sweep(world, 0);
    expect(world.free).toBe(0);
  });
});

const load = fc.record({
  tolerance: fc.integer({ min: 1, max: 4 }),
  held: fc.nat(60),
  weight: fc.constantFrom(1, 1, 1, 2, 5),
  offline: fc.constantFrom(false, false, false, true),
});

describe('shedding', () => {
  it('ends, in as many moves as were held too many, and never leaves a schedule to nobody', () => {
    fc.assert(
      fc.property(
        fc.array(load, { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        (loads, random) => {
          const world = worldOf(loads);
          const { masters } = world;
          const online = masters.filter((one) => !one.offline);
          const excess = online.reduce(
            (sum, one) => sum + Math.max(one.held - limitOf(world, one.name), 0),
            0,
          );
          let moves = 0;
          for (;;) {
            const shedding = online.filter((one) => shouldShed(world, one.name).yes);
            if (shedding.length === 0) break;
            release(world, shedding[random.next().value % shedding.length].name, 1);
            const takers = masters.filter((one) => shouldClaim(world, one.name).yes);
            expect(takers).not.toEqual([]);
            expect(claim(world, takers[random.next().value % takers.length].name)).toBe(true);
            moves++;
            expect(moves).toBeLessThanOrEqual(excess);
          }
          // What is still held too much had nowhere better to go.
          for (const one of online) {
            if (one.held <= limitOf(world, one.name)) continue;
            for (const other of online) {
              if (other.held >= limitOf(world, other.name)) continue;
              expect((other.held + 1) * one.weight!).toBeGreaterThanOrEqual(one.held * other.weight!);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('moves nothing between masters that differ by one, whatever their tolerances', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), { minLength: 1, maxLength: 5 }),
        fc.nat(5),
        (least, list, drained) => {
          const world = worldOf([
            ...list.map(([tolerance, more]) => ({ tolerance, held: least + Number(more) })),
            ...Array(drained).fill({ offline: true }),
          ]);
          for (const { name } of world.masters) expect(shouldShed(world, name).yes).toBe(false);
        },
      ),
    );
  });

  it('goes down to the limit and no further', () => {
    const world = worldOf([
      { name: 'A', held: 20 },
      { name: 'B', held: 0 },
      { name: 'C', held: 0 },
    ]);
    expect(shouldShed(world, 'A')).toEqual({ yes: true, reason: 'A holds 20 of at most 11, B has room' });
    while (shouldShed(world, 'A').yes) {
      release(world, 'A', 1);
      expect(claim(world, 'A')).toBe(false);
      take(world, 'C');
    }
    expect(world.masters.map((master) => master.held)).toEqual([11, 0, 9]);
  });

  it('gives back everything when offline', () => {
    const world = after('8');
    get(world, 'A').offline = true;
    expect(shouldShed(world, 'A')).toEqual({ yes: true, reason: 'A is offline' });
    expect(shouldClaim(world, 'A')).toEqual({ yes: false, reason: 'A is offline' });
    get(world, 'A').held = 0;
    expect(shouldShed(world, 'A').yes).toBe(false);
  });

  it('keeps what nobody less loaded could take', () => {
    const world = worldOf([
      { name: 'a', held: 3 },
      { name: 'b', held: 0, offline: true },
      { name: 'c', held: 0, offline: true },
    ]);
    expect(shouldShed(world, 'a')).toEqual({
      yes: false,
      reason: 'a holds 3 of at most 2, nobody is less loaded',
    });
  });
});
