/**
 * A million timers: what it costs to add, fire and cancel one, and to keep it, in our queue, in a plain
 * binary heap and with setTimeout. Time is virtual, except for setTimeout, and only CPU time is counted.
 */
import { type TimerHandle, TimerQueue, type TimerQueueOptions, VirtualClock } from '@orrery/core/timing';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

const COUNT = bySize(1_000_000, 1_000);
const START = 1_700_000_000_000;
const WARM_UPS = bySize(2, 0);
const ROUNDS = bySize(5, 1);

export const title = `${COUNT.toLocaleString('en-US')} timers in our queue, a binary heap and setTimeout; rates per second of CPU time`;

interface Payload {
  number: number;
}

/** What takes part where time is virtual; `pass` lets time go by and hands out what fell due. */
interface Contender {
  add(due: number, payload: Payload): number;
  cancel(handle: number): void;
  pass(ms: number): Payload[];
  now(): number;
}

interface Load {
  name: string;
  delays: Float64Array;
  /** How much time passes between two wakes, in milliseconds. */
  wake: number;
}

const payloads: Payload[] = Array.from({ length: COUNT }, (_, number) => ({ number }));

export async function run(): Promise<Row[]> {
  const near = load('delays to 30 s', 30_000, 1);
  const far = load('delays to 1 h', 3_600_000, 10);
  const rows: Row[] = [];
  rows.push(...(await measure('wheel', near, () => queue({}))));
  rows.push(...(await measure('heap', near, () => new Heap())));
  rows.push(...(await measureHost(near)));
  rows.push(...(await measure('wheel', far, () => queue({ wheelSpan: 3_600_000 }), 'wheelSpan 1 h')));
  rows.push(
    ...(await measure('wheel + skip list', far, () => queue({}), '119 of 120 start in the skip list')),
  );
  rows.push(...(await measure('heap', far, () => new Heap())));
  return rows;
}

function load(name: string, longest: number, wake: number): Load {
  let random = 1;
  const delays = new Float64Array(COUNT).map(() => {
    random = (random * 48_271) % 2_147_483_647;
    return 1 + (random % longest);
  });
  return { name, delays, wake };
}

function queue(options: Partial<TimerQueueOptions>): Contender {
  const clock = new VirtualClock(START);
  const timers = new TimerQueue<Payload>(clock, options);
  return {
    add: (due, payload) => timers.add(due, payload),
    cancel: (handle) => timers.cancel(handle as TimerHandle),
    pass: (ms) => {
      clock.advance(ms);
      return timers.runDue(clock.now());
    },
    now: () => clock.now(),
  };
}

async function measure(name: string, load: Load, make: () => Contender, note = ''): Promise<Row[]> {
  const { delays, wake } = load;
  const longest = delays.reduce((a, b) => Math.max(a, b));
  const handles = new Float64Array(COUNT);
  const before = await memory();
  const contender = make();
  const addAll = (): void => {
    const now = contender.now();
    for (let i = 0; i < COUNT; i++) handles[i] = contender.add(now + delays[i], payloads[i]);
  };
  const fireAll = (): void => {
    let fired = 0;
    for (let passed = 0; passed < longest; passed += wake) fired += contender.pass(wake).length;
    if (fired !== COUNT) throw new Error(`${name} fired ${fired} of ${COUNT} timers`);
  };
  const cancelAll = (): void => {
    for (let i = 0; i < COUNT; i++) contender.cancel(handles[i]);
  };
  addAll();
  const bytes = ((await memory()) - before) / COUNT;
  cancelAll();

  const adding: number[] = [];
  const both: number[] = [];
  const cancelling: number[] = [];
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const add = cpuMs(addAll);
    const fire = cpuMs(fireAll);
    addAll();
    const cancel = cpuMs(cancelAll);
    if (round < 0) continue;
    adding.push(add);
    both.push(add + fire);
    cancelling.push(cancel);
  }
  const what = `${name}, ${load.name}`;
  return [
    {
      what: `${what}: add + fire`,
      value: rate(median(both)),
      unit: 'timers/s',
      note: `woken every ${wake} ms; median of ${ROUNDS} rounds${note && `; ${note}`}`,
    },
    { what: `${what}: add`, value: rate(median(adding)), unit: 'timers/s' },
    {
      what: `${what}: cancel`,
      value: rate(median(cancelling)),
      unit: 'timers/s',
      note: 'in the order added',
    },
    { what: `${what}: memory`, value: bytes, unit: 'bytes/timer', note: 'all but the payload object' },
  ];
}

/** setTimeout cannot be hurried: it fires fewer and shorter timers here, and idle waiting does not count. */
async function measureHost({ name, delays }: Load): Promise<Row[]> {
  const what = `setTimeout, ${name}`;
  const ignore = (): void => {};
  const handles: (NodeJS.Timeout | undefined)[] = new Array(COUNT).fill(undefined);
  const before = await memory();
  const add = cpuMs(() => {
    for (let i = 0; i < COUNT; i++) handles[i] = setTimeout(ignore, delays[i]);
  });
  const bytes = ((await memory()) - before) / COUNT;
  const cancel = cpuMs(() => {
    for (let i = 0; i < COUNT; i++) clearTimeout(handles[i]);
  });
  handles.fill(undefined);

  const count = COUNT / 5;
  const started = process.cpuUsage();
  await new Promise<void>((resolve) => {
    let left = count;
    const fire = (): void => {
      left--;
      if (left === 0) resolve();
    };
    for (let i = 0; i < count; i++) setTimeout(fire, 1 + (delays[i] % 1_000));
  });
  const both = cpuMsSince(started);
  return [
    {
      what: `${what}: add + fire`,
      value: rate(both, count),
      unit: 'timers/s',
      note: `no payload; ${count.toLocaleString('en-US')} timers with delays to 1 s, one round`,
    },
    { what: `${what}: add`, value: rate(add), unit: 'timers/s', note: 'one round' },
    { what: `${what}: cancel`, value: rate(cancel), unit: 'timers/s', note: 'clearTimeout, one round' },
    { what: `${what}: memory`, value: bytes, unit: 'bytes/timer', note: 'no payload' },
  ];
}

function cpuMs(work: () => void): number {
  const started = process.cpuUsage();
  work();
  return cpuMsSince(started);
}

function cpuMsSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

function rate(ms: number, count = COUNT): number {
  return count / (ms / 1_000);
}

/** Bytes in use, on and off the heap, when the collector and its helpers have nothing left to do. */
async function memory(): Promise<number> {
  if (!globalThis.gc) throw new Error('run with --expose-gc, as npm run bench does');
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** A binary heap over typed arrays, with each timer's place in it, so that any timer can be cancelled. */
class Heap implements Contender {
  #now = START;
  #size = 0;
  #heap = new Int32Array(256);
  #places = new Int32Array(256);
  #dues = new Float64Array(256);
  readonly #payloads: (Payload | undefined)[] = [];
  readonly #free: number[] = [];

  now(): number {
    return this.#now;
  }

  add(due: number, payload: Payload): number {
    const id = this.#free.pop() ?? this.#payloads.length;
    if (id === this.#dues.length) this.#grow();
    this.#dues[id] = due;
    this.#payloads[id] = payload;
    this.#up(this.#size++, id);
    return id;
  }

  cancel(id: number): void {
    this.#remove(this.#places[id]);
  }

  pass(ms: number): Payload[] {
    this.#now += ms;
    const due: Payload[] = [];
    while (this.#size > 0 && this.#dues[this.#heap[0]] <= this.#now) due.push(this.#remove(0));
    return due;
  }

  #remove(place: number): Payload {
    const id = this.#heap[place];
    const last = this.#heap[--this.#size];
    if (place < this.#size) {
      if (place > 0 && this.#dues[last] < this.#dues[this.#heap[(place - 1) >> 1]]) this.#up(place, last);
      else this.#down(place, last);
    }
    const payload = this.#payloads[id] as Payload;
    this.#payloads[id] = undefined;
    this.#free.push(id);
    return payload;
  }

  #up(place: number, id: number): void {
    const due = this.#dues[id];
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#dues[this.#heap[parent]] <= due) break;
      this.#put(place, this.#heap[parent]);
      place = parent;
    }
    this.#put(place, id);
  }

  #down(place: number, id: number): void {
    const due = this.#dues[id];
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#dues[this.#heap[child + 1]] < this.#dues[this.#heap[child]])
        child++;
      if (this.#dues[this.#heap[child]] >= due) break;
      this.#put(place, this.#heap[child]);
      place = child;
    }
    this.#put(place, id);
  }

  #put(place: number, id: number): void {
    this.#heap[place] = id;
    this.#places[id] = place;
  }

  #grow(): void {
    const length = 2 * this.#dues.length;
    const copy = <Numbers extends Int32Array | Float64Array>(into: Numbers, from: Numbers): Numbers => {
      into.set(from);
      return into;
    };
    this.#heap = copy(new Int32Array(length), this.#heap);
    this.#places = copy(new Int32Array(length), this.#places);
    this.#dues = copy(new Float64Array(length), this.#dues);
  }
}
