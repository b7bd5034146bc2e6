/**
 * Saves typed text: in the browser at once, on the server two seconds later. Nothing typed is ever dropped: a
 * failed save is retried, and a conflict with another person's draft waits for a person.
 *
 *   saved → changed (typed) → saving → saved
 *   saving → away (no answer; retried) · refused (not allowed) · conflict (saved by another, or deleted)
 *   conflict → changed (resolved)
 */
import { ApiProblem } from '@orrery/sdk/client';

/** A draft on the server. */
export interface ServerDraft {
  readonly text: string;
  readonly revision: number;
  readonly base: number | null;
  readonly author: string;
}

/** What the browser keeps: the text, and the text and revision of the server that it came from. */
export interface KeptDraft {
  readonly text: string;
  readonly saved: string;
  readonly revision: number;
  readonly base: number | null;
  readonly at: number;
}

export type DraftState =
  | { readonly kind: 'saved'; readonly at: number | null }
  | { readonly kind: 'changed' | 'saving' | 'away' }
  | { readonly kind: 'refused'; readonly error: Error }
  | { readonly kind: 'conflict'; readonly theirs: ServerDraft | null };

interface Ports {
  save(draft: { text: string; base: number | null; revision: number }): Promise<{ revision: number }>;
  /** Null: nothing of it has to be kept. */
  keep(draft: KeptDraft | null): Promise<void>;
  now(): number;
  later(run: () => void, delay: number): () => void;
  changed(): void;
}

const SAVE_AFTER = 2_000;
const MOST_PATIENCE = 15_000;

export class DraftKeeper {
  readonly #ports: Ports;
  #text: string;
  #saved: string;
  #revision: number;
  #base: number | null;
  #state: DraftState;
  #cancel = () => {};
  #saving: Promise<void> | undefined;
  #tries = 0;
  #keeping = false;
  #keepAgain = false;

  /** Goes on from a draft of the server, or with revision 0 from a text that has none. */
  constructor(ports: Ports, { text, saved, revision, base }: Omit<KeptDraft, 'at'>) {
    this.#ports = ports;
    this.#text = text;
    this.#saved = saved;
    this.#revision = revision;
    this.#base = base;
    this.#state = { kind: 'saved', at: null };
    if (text !== saved) this.#arm(0);
  }

  get state(): DraftState {
    return this.#state;
  }
  get text(): string {
    return this.#text;
  }
  /** The last known text on the server. */
  get saved(): string {
    return this.#saved;
  }
  get revision(): number {
    return this.#revision;
  }
  get base(): number | null {
    return this.#base;
  }

  /** Another text. */
  edit(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#keep();
    if (this.#state.kind !== 'conflict') this.#arm(SAVE_AFTER);
  }

  /** Saves unsaved text; true if the server then has this text. */
  async flush(): Promise<boolean> {
    this.#cancel();
    await this.#saving;
    if (this.#state.kind === 'conflict') return false;
    if (this.#text !== this.#saved) {
      this.#saving = this.#save();
      await this.#saving;
    }
    return this.#text === this.#saved;
  }

  /** Goes on with a text over a draft of the server, which the person has seen; null: there is none any more. */
  resolve(
    text: string,
    over: Pick<ServerDraft, 'text' | 'revision' | 'base'> | null,
    base = over?.base ?? this.#base,
  ): void {
    this.#revision = over?.revision ?? 0;
    // A deleted draft is created again, even if its text is unchanged.
    this.#saved = over?.text ?? '';
    this.#base = base;
    this.#text = text;
    this.#keep();
    if (text === this.#saved) this.#tell({ kind: 'saved', at: this.#ports.now() });
    else this.#arm(0);
  }

  /** Continues from a newer version, which the next save names. */
  rebase(text: string, base: number): void {
    this.#base = base;
    this.#text = text;
    this.#keep();
    this.#arm(0);
  }

  /** Published or discarded: nothing is left to keep. */
  async end(): Promise<void> {
    this.#cancel();
    await this.#saving;
    this.#saved = this.#text;
    await this.#ports.keep(null);
  }

  stop(): void {
    this.#cancel();
  }

  #arm(delay: number): void {
    this.#cancel();
    this.#tell({ kind: 'changed' });
    this.#cancel = this.#ports.later(() => void this.flush(), delay);
  }

  async #save(): Promise<void> {
    const [text, base] = [this.#text, this.#base];
    this.#tell({ kind: 'saving' });
    try {
      const { revision } = await this.#ports.save({ text, base, revision: this.#revision });
      this.#revision = revision;
      this.#saved = text;
      this.#tries = 0;
      this.#keep();
      if (this.#text === text) this.#tell({ kind: 'saved', at: this.#ports.now() });
      else this.#arm(SAVE_AFTER);
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 412)
        this.#tell({ kind: 'conflict', theirs: (error.current ?? null) as ServerDraft | null });
      else if (error instanceof ApiProblem && error.status < 500 && error.status !== 401)
        this.#tell({ kind: 'refused', error });
      else {
        this.#tries += 1;
        this.#arm(Math.min(SAVE_AFTER * 2 ** (this.#tries - 1), MOST_PATIENCE));
        this.#tell({ kind: 'away' });
      }
    } finally {
      this.#saving = undefined;
    }
  }

  /** One write at a time: text typed meanwhile goes with the next. */
  #keep(): void {
    if (this.#keeping) {
      this.#keepAgain = true;
      return;
    }
    this.#keeping = true;
    const kept = {
      text: this.#text,
      saved: this.#saved,
      revision: this.#revision,
      base: this.#base,
      at: this.#ports.now(),
    };
    void this.#ports.keep(kept.text === kept.saved ? null : kept).finally(() => {
      this.#keeping = false;
      if (this.#keepAgain) {
        this.#keepAgain = false;
        this.#keep();
      }
    });
  }

  #tell(state: DraftState): void {
    // Further key presses leave the state at `changed`: there is nothing new to report or draw.
    const isNews = state.kind !== 'changed' || this.#state.kind !== 'changed';
    this.#state = state;
    if (isNews) this.#ports.changed();
  }
}
