/**
 * Scripts whose processes try to outlive their parent. Each runs `mark` in the process that must not survive.
 */

/** Ways in which task processes try to outlive their parent. */
export const stubborn: Record<string, (mark: string) => string> = {
  'an ordinary one': (mark) => `${mark}; sleep 1000`,
  'one that ignores SIGTERM and SIGHUP': (mark) => `trap '' TERM HUP INT; ${mark}; while :; do sleep 1; done`,
  'a child that was forked twice': (mark) => `(sh -c '${mark}; sleep 1000' &) & sleep 1000`,
  'a daemon in a session of its own': (mark) =>
    `setsid sh -c 'trap "" TERM HUP; ${mark}; while :; do sleep 1; done' & sleep 1000`,
  'one that kills its guard': (mark) => `${mark}; kill -9 $PPID; while :; do sleep 1; done`,
  'one without its environment': (mark) => `env -i sh -c '${mark}; while :; do sleep 1; done' & sleep 1000`,
  'one that stops itself': (mark) => `${mark}; kill -STOP $$; sleep 1000`,
};
