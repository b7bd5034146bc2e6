/**
 * The life of a node as data: its states, the events that move it between them, and the deeds allowed in
 * each.
 *
 * joining -> acting <-> paused, acting <-> draining -> paused; each -> over. A node that may rejoin goes back
 * to
 * joining when its epoch is taken from it.
 */
import type { Machine } from '@orrery/core/state';

/** State of a node. */
export type LifeState = 'joining' | 'acting' | 'paused' | 'draining' | 'over';

/** Event that changes the state. */
export type LifeEvent = 'joined' | 'pause' | 'resume' | 'drain' | 'undrain' | 'lost' | 'end';

/** A paused node resumes as acting; if it must still drain, the same beat says so. */
export const lifeMachine: Machine<LifeState, LifeEvent> = {
  name: 'node',
  transitions: {
    joining: { joined: 'acting', end: 'over' },
    acting: { pause: 'paused', drain: 'draining', lost: 'joining', end: 'over' },
    paused: { resume: 'acting', lost: 'joining', end: 'over' },
    draining: { pause: 'paused', undrain: 'acting', lost: 'joining', end: 'over' },
    over: {},
  },
  final: ['over'],
};

/**
 * What a system of a master asks to do: read the inboxes of its own runs, adopt runs without an owner, start
 * runs, fire ticks, give attempts to workers, or sweep (recurring work that belongs to no run). Decisions
 * about its own runs are always committed: the store refuses them once the epoch is over.
 */
export type Deed = 'hear' | 'adopt' | 'start' | 'fire' | 'dispatch' | 'sweep';

/** Deeds allowed in each state. A draining master still serves the workers connected to it. */
export const deeds: Readonly<Record<LifeState, readonly Deed[]>> = {
  joining: [],
  acting: ['hear', 'adopt', 'start', 'fire', 'dispatch', 'sweep'],
  paused: ['hear'],
  draining: ['hear', 'dispatch'],
  over: [],
};

/** Permission to act. Every system asks before it acts; the answer is the refusal, or undefined. */
export interface Gate {
  refusal(deed: Deed): string | undefined;
  /** Why nothing was done at some time in this range; undefined if the node was not paused then. */
  outage?(from: number, to: number): string | undefined;
}

/** A gate that refuses nothing, for testing a system alone. */
export const openGate: Gate = { refusal: () => undefined };
