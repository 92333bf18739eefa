// Keys to commands: one table, used by the listener, by the help and by the tests.

/**
 * Returns the command of a key event in `table` ({command: [keys]}), or null. Keys are
 * `event.key`s; typing into a field, and chords with Ctrl, Alt or Meta, are left alone.
 */
export function commandOf(event, table) {
  if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return null;
  for (const [command, keys] of Object.entries(table)) {
    if (keys.includes(event.key) || keys.includes(event.key.toLowerCase())) return command;
  }
  return null;
}

/** Whether an event's target takes text or has its own use for arrows and letters. */
export function typing(target) {
  const name = target?.tagName;
  if (name === "INPUT" || name === "TEXTAREA" || name === "SELECT") return true;
  return Boolean(target?.isContentEditable);
}

/** Whether Enter or Space on this target already does something. */
export function activates(target) {
  return Boolean(target?.closest?.("button, a[href], summary"));
}
