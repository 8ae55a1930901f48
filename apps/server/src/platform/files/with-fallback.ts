import { type FileStore, MissingFileError } from "./file-store.ts";

/** While files are moved: what the store has not got yet is read in the one they come from; what is removed goes from both. */
export function withFallback(store: FileStore, old: FileStore): FileStore {
  const orOld = async <T>(work: Promise<T>, read: () => Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof MissingFileError) return read();
      throw error;
    }
  };
  return {
    ...store,
    get: (sha256) => orOld(store.get(sha256), () => old.get(sha256)),
    stream: (sha256, range) => orOld(store.stream(sha256, range), () => old.stream(sha256, range)),
    async size(sha256) {
      return (await store.size(sha256)) ?? (await old.size(sha256));
    },
    async remove(sha256) {
      await old.remove(sha256);
      await store.remove(sha256);
    },
    async *list() {
      yield* store.list();
      for await (const file of old.list()) if ((await store.size(file.sha256)) === null) yield file;
    },
  };
}
