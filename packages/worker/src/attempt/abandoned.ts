/** Ends applications left by lost workers when no attempt takes them over because the task is over. */
import type { Assignment } from '@orrery/wire/frames';
import { endOf } from './application.ts';
import { Attempt, type AttemptRoom, attemptFields } from './attempt.ts';

/** Ends what an attempt of a lost worker has started. Returns whether it is over. */
export async function endApplication(room: AttemptRoom, assignment: Assignment): Promise<boolean> {
  const { handle } = assignment;
  if (handle === undefined) return true;
  const attempt = new Attempt(room, assignment, () => {});
  try {
    attempt.log.mark('its worker was lost, and nobody goes on with what it has started: that is ended');
    const over = await endOf(attempt, attempt.prepare(), handle);
    await attempt.dismiss(over ? 'ended' : 'not ended');
    return over;
  } catch (error) {
    room.warn(
      `what attempt ${assignment.attempt.number} of run ${assignment.attempt.run} has started could not be ended: ${(error as Error).message}`,
      attemptFields(assignment),
    );
    return false;
  }
}
