/** Changes with each load of the page. */
export const THIS_PAGE = crypto.randomUUID();

const LOCK = "paraphe.page.";
/** Undefined without the Web Locks API. */
const locksOf = () => navigator.locks as LockManager | undefined;
let isHeld = false;

/** Holds a lock that ends with the page, however it ends. Source: Web Locks API (W3C), §3. */
export function lockPage(): void {
  const locks = locksOf();
  if (isHeld || !locks) return;
  isHeld = true;
  locks
    .request(LOCK + THIS_PAGE, () => new Promise(() => undefined))
    .catch((error: unknown) => console.warn("no lock for this page", error));
}

/** Open pages of this browser; none without the Web Locks API. */
export async function openPages(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locksOf()?.query()) ?? {};
  return new Set(
    held.flatMap(({ name = "" }) => (name.startsWith(LOCK) ? [name.slice(LOCK.length)] : [])),
  );
}
