/** Priorities, which have the same names in both systems. */
import { type Priority, priorities } from '@orrery/core/model';

/** The priority of this name, unless it is the ordinary one. */
export function priorityOf(name: string): Priority | undefined {
  const priority = priorities.find((each) => each === name.toLowerCase());
  return priority === 'medium' ? undefined : priority;
}
