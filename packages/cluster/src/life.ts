/**
 * The life of a node as data: its states, what moves it between them, and what it may do in each.
 *
 * joining -> acting <-> paused, acting <-> draining -> paused; each -> over. One that may rejoin goes back to joining
 * when its epoch was taken from it.
 */
import type { Machine } from '@orrery/core/state';

/** Where a node is in its life. */
export type LifeState = 'joining' | 'acting' | 'paused' | 'draining' | 'over';

/** What moves it. */
export type LifeEvent = 'joined' | 'pause' | 'resume' | 'drain' | 'undrain' | 'lost' | 'end';

/** A paused node resumes as acting; where it is still to drain, the same beat says so. */
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
 * What a system of a master asks for: to hear what its own runs are told, to adopt runs that nobody owns, to start
 * runs, to fire ticks, to give attempts to workers, and to sweep (everything that recurs and belongs to no run).
 * What its own runs decide is always committed: the store refuses it once the epoch is over.
 */
export type Deed = 'hear' | 'adopt' | 'start' | 'fire' | 'dispatch' | 'sweep';

/** What a node may do in each state. A draining master still serves the workers that are connected to it. */
export const deeds: Readonly<Record<LifeState, readonly Deed[]>> = {
  joining: [],
  acting: ['hear', 'adopt', 'start', 'fire', 'dispatch', 'sweep'],
  paused: ['hear'],
  draining: ['hear', 'dispatch'],
  over: [],
};

/** Asked by every system before it does something; answers why not, or nothing where it may. */
export interface Gate {
  refusal(deed: Deed): string | undefined;
  /** Why nothing was done at some time between these two; undefined where it was not paused then. */
  outage?(from: number, to: number): string | undefined;
}

/** A gate that refuses nothing: for a system that is tested alone. */
export const openGate: Gate = { refusal: () => undefined };
