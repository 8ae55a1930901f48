/** This page, from its loading to its end: a reload is another one. */
export const THIS_PAGE = crypto.randomUUID();

const LOCK = "paraphe.page.";
/** Undefined in a browser without the Web Locks API. */
const locksOf = () => navigator.locks as LockManager | undefined;
let isHeld = false;

/** From now on the other pages of this browser can tell that this one is open: the lock goes with it, however it ends. Source: Web Locks API (W3C), §3. */
export function holdPage(): void {
  const locks = locksOf();
  if (isHeld || !locks) return;
  isHeld = true;
  locks
    .request(LOCK + THIS_PAGE, () => new Promise(() => undefined))
    .catch((error: unknown) => console.warn("no lock for this page", error));
}

/** Gives the pages of this browser that are open, of those that hold their lock; none where nobody can tell. */
export async function openPages(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locksOf()?.query()) ?? {};
  return new Set(
    held.flatMap(({ name = "" }) => (name.startsWith(LOCK) ? [name.slice(LOCK.length)] : [])),
  );
}
