/** What an import says of what it could not carry over: nothing is left out without a line here. */
import type { WorkflowFile } from '@orrery/core/model';
import type { ImportedAlerts } from './alerts.ts';

/** One thing that is not as it was. */
export interface ImportNote {
  /** The workflow, under its new name; or what else it is about. */
  readonly workflow: string;
  /** The task, under its new name; absent when it is about the whole workflow. */
  readonly task?: string;
  /** `changed`: it is there in another form. `left-out`: it has to be set up by hand. */
  readonly kind: 'changed' | 'left-out';
  readonly message: string;
}

/** The workflows of an export, as files, and what a person has to know before they are used. */
export interface ImportResult {
  readonly workflows: readonly WorkflowFile[];
  readonly notes: readonly ImportNote[];
  /** The alert file of its alert groups, where their lists were given. */
  readonly alerts?: ImportedAlerts & { readonly project: string };
}

/** Collects the notes of one workflow, or of one task of it. */
export class Report {
  readonly notes: ImportNote[];
  private readonly about: { readonly workflow: string; readonly task?: string };

  constructor(workflow: string, task?: string, notes: ImportNote[] = []) {
    this.about = task === undefined ? { workflow } : { workflow, task };
    this.notes = notes;
  }

  /** The same report, from here on about a task. */
  of(task: string): Report {
    return new Report(this.about.workflow, task, this.notes);
  }

  changed(message: string): void {
    this.notes.push({ ...this.about, kind: 'changed', message });
  }

  leftOut(message: string): void {
    this.notes.push({ ...this.about, kind: 'left-out', message });
  }
}
