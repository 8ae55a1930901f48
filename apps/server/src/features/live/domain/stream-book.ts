import { MAX_LIVE_STREAMS } from "@paraphe/contracts";

export type Booked = { readonly user: { readonly id: string; readonly email_key: string } };

/** Open streams by account and address, bounded per account. */
export type StreamBook<S extends Booked> = {
  /** Gives the account's oldest stream, removed, when it is one too many. */
  add(stream: S): S | null;
  remove(stream: S): void;
  ofUser(id: string): readonly S[];
  ofAddress(emailKey: string): readonly S[];
  all(): readonly S[];
  readonly size: number;
};

export function createStreamBook<S extends Booked>(most: number = MAX_LIVE_STREAMS): StreamBook<S> {
  const byUser = new Map<string, Set<S>>();
  const byAddress = new Map<string, Set<S>>();
  const streams = new Set<S>();
  const remove = (stream: S) => {
    if (!streams.delete(stream)) return;
    takeOut(byUser, stream.user.id, stream);
    takeOut(byAddress, stream.user.email_key, stream);
  };
  return {
    add(stream) {
      streams.add(stream);
      putIn(byAddress, stream.user.email_key, stream);
      const own = putIn(byUser, stream.user.id, stream);
      // A set keeps insertion order.
      const [oldest] = own;
      if (own.size <= most || oldest === undefined) return null;
      remove(oldest);
      return oldest;
    },
    remove,
    ofUser: (id) => [...(byUser.get(id) ?? [])],
    ofAddress: (emailKey) => [...(byAddress.get(emailKey) ?? [])],
    all: () => [...streams],
    get size() {
      return streams.size;
    },
  };
}

function putIn<S>(map: Map<string, Set<S>>, key: string, stream: S): Set<S> {
  const set = map.get(key) ?? new Set<S>();
  map.set(key, set.add(stream));
  return set;
}

function takeOut<S>(map: Map<string, Set<S>>, key: string, stream: S): void {
  const set = map.get(key);
  set?.delete(stream);
  if (set?.size === 0) map.delete(key);
}
