/**
 * The two small shell programs of an `ssh` task. They are joined by the session's standard input: the script
 * is sent over it, and then it stays open. When it closes, for whatever reason, the script on the remote host
 * is ended: no connection, no process.
 */

/** How long processes on the other host have between TERM and KILL, in seconds. */
const REMOTE_GRACE = 5;

/**
 * Runs locally, behind the attempt's guard: `sh -c LOCAL sh FIFO SCRIPT ssh-arguments…`. When it is stopped,
 * it closes the session's input and waits for the remote side to end, so that nothing is left after it.
 */
export const LOCAL = `fifo=$1 script=$2; shift 2
mkfifo -m 600 "$fifo" || exit 255
( trap '' TERM HUP INT; exec ssh "$@" < "$fifo" ) & session=$!
exec 3> "$fifo"
trap 'exec 3>&-' TERM HUP INT
cat "$script" >&3
while :; do wait "$session"; code=$?; kill -0 "$session" 2> /dev/null || exit "$code"; done`;

/** Runs remotely, as the command of the session. Reads this many bytes of script, then starts it. */
export function remoteProgram(bytes: number, shell: string): string {
  const program = `umask 077; folder=$(mktemp -d) || exit 255
head -c ${bytes} > "$folder/script" || exit 255
exec 3<&0
setsid ${quote(shell)} "$folder/script" < /dev/null 3<&- & group=$!
( cat <&3 > /dev/null; kill -TERM -$group; sleep ${REMOTE_GRACE}; kill -KILL -$group ) > /dev/null 2>&1 & watch=$!
wait "$group"; code=$?
kill -KILL -$group 2> /dev/null
kill "$watch" 2> /dev/null
rm -rf "$folder"
exit "$code"`;
  return `exec /bin/sh -c ${quote(program)}`;
}

/** A text as one word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
