/** A channel between a worker and a master: ordered frames both ways until it closes. */

/** One end of a channel. */
export interface Channel<Out, In> {
  /** Sends a frame; a closed channel drops it. False asks the sender to wait for `drained` before it sends more. */
  send(frame: Out): boolean;
  /** Settles when what was sent has left, or the channel has closed. */
  drained(): Promise<void>;
  /** Who hears the frames; frames that came before are kept for the first listener. */
  onFrame(listener: (frame: In) => void): void;
  /** Called once, whichever side closed it or when the other went silent. */
  onClose(listener: (reason: string) => void): void;
  close(reason: string): void;
}
