/** An object that nobody may change or remove before a moment. `name`: of letters, digits, `.`, `-`, `_` and `/`. */
export type LockedObject = { readonly name: string; readonly bytes: Uint8Array; readonly contentType: string; readonly until: Date };

/** A store of objects that locks them (S3 Object Lock). */
export type LockedStore = {
  /**
   * Puts an object, and looks that it is locked. Put again it is another version of the same name: the first stays as it is.
   * Errors: throws `ObjectStoreError` when the store says no or did not lock it, and what `fetch` throws when it cannot be reached in time.
   */
  put(object: LockedObject): Promise<void>;
};

/** The store said no. The message is for the log: the call, the status and the store's own word for it (`AccessDenied`). */
export class ObjectStoreError extends Error {
  override readonly name = "ObjectStoreError";
}
