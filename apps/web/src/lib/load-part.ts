/**
 * Asks for a file of the client, unless the browser knows that there is no network: a failed import stays failed for the life of the page in most
 * browsers (whatwg/html#6768), and could not be asked for again.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  if (!navigator.onLine) throw new TypeError("no network to load a part of the page");
  return load();
}

/** Tells whether the service has another version of the client than this page's, whose files may be gone; false when it does not answer. */
export async function isOutdated(): Promise<boolean> {
  const own = document.querySelector('script[type="module"][src]')?.getAttribute("src");
  if (!own) return false;
  try {
    const answer = await fetch(location.pathname, {
      cache: "no-store",
      headers: { accept: "text/html" },
    });
    return answer.ok && !(await answer.text()).includes(`"${own}"`);
  } catch (cause) {
    if (cause instanceof TypeError) return false;
    throw cause;
  }
}
