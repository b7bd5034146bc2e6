/** A channel between a worker and a master: ordered frames both ways until it closes. */

/** Size limit of a frame on the network, in bytes; a longer list is cut into several frames. */
export const FRAME_LIMIT = 1_000_000;

/** One end of a channel. */
export interface Channel<Out, In> {
  /** Only the two ends can read the frames: within one process, or over TLS. */
  readonly confidential: boolean;
  /**
   * Sends a frame; a closed channel drops it. False asks the sender to wait for `drained` before sending
   * more. Throws `InvalidInput` for a frame that cannot be sent, such as one over `FRAME_LIMIT`; the channel
   * stays open.
   */
  send(frame: Out): boolean;
  /** Settles when all sent frames have left, or the channel has closed. */
  drained(): Promise<void>;
  /** Sets the listener for frames; earlier frames are kept for the first listener. */
  onFrame(listener: (frame: In) => void): void;
  /** Called once when either side closes the channel, or when the other side goes silent. */
  onClose(listener: (reason: string) => void): void;
  close(reason: string): void;
}
