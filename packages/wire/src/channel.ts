/** A channel between a worker and a master: ordered frames both ways until it closes. */

/** How many bytes a frame may take on the network, cut into parts where it is a list. */
export const FRAME_LIMIT = 1_000_000;

/** One end of a channel. */
export interface Channel<Out, In> {
  /** Nobody but the two ends can read what is sent: within one process, or over TLS. */
  readonly confidential: boolean;
  /**
   * Sends a frame; a closed channel drops it. False asks the sender to wait for `drained` before it sends more.
   * Throws `InvalidInput` for a frame that cannot travel, such as one over `FRAME_LIMIT`; the channel stays open.
   */
  send(frame: Out): boolean;
  /** Settles when what was sent has left, or the channel has closed. */
  drained(): Promise<void>;
  /** Who hears the frames; frames that came before are kept for the first listener. */
  onFrame(listener: (frame: In) => void): void;
  /** Called once, whichever side closed it or when the other went silent. */
  onClose(listener: (reason: string) => void): void;
  close(reason: string): void;
}
