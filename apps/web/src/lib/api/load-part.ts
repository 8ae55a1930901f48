/**
 * A failed import stays failed in most browsers (whatwg/html#6768): offline nothing is asked for.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  if (!navigator.onLine) throw new TypeError("no network to load a part of the page");
  return load();
}

/** The service has another version: this page's files may be gone. False without an answer. */
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
