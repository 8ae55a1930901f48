/**
 * Does work of the parser without its remarks: it writes what it cannot decrypt, and more, to the console, and has no setting for it.
 * Shape: the work is done before this returns, so that nobody else's remarks are lost.
 */
export function quietly<T>(work: () => T): T {
  // The parser's console, not ours: nothing is written here.
  const sink = globalThis.console;
  const { warn } = sink;
  sink.warn = () => undefined;
  try {
    return work();
  } finally {
    sink.warn = warn;
  }
}
