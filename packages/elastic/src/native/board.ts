/** Elastic jobs on any registry. */
import type { Registry } from '@orrery/registry';
import type { SeatPorts } from '../board/seat.ts';
import { SessionBoard } from '../board/session-board.ts';
import { NativeSeat } from './seat.ts';

export type NativeBoard = SessionBoard<Registry>;

/** Opens a session; fails if the registry cannot be reached. */
export function openNativeBoard(open: () => Promise<Registry>, ports: SeatPorts): Promise<NativeBoard> {
  return SessionBoard.open(
    { open, newSeat: (request, onLeave) => new NativeSeat(request, ports, onLeave) },
    ports,
  );
}
