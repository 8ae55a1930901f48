import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import { insertVapidKeys, loadVapidKeys } from "./store.ts";
import { makeVapidKeys, type VapidKeys } from "./vapid-token.ts";

export type VapidKeyDeps = {
  readonly db: Database;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
};

const CONTEXT = "vapid-key";

/**
 * Gives the service's key for push services, made at its first use and kept: browsers' subscriptions are bound to it (RFC 8292 §4.1).
 * Of several processes that make one at the same time, the first to write it wins, and all use it.
 */
export async function loadOrMakeVapidKeys(deps: VapidKeyDeps): Promise<VapidKeys> {
  if ((await loadVapidKeys(deps.db)) === null) {
    const made = makeVapidKeys(deps.random(32));
    const privateKeyWrapped = deps.secrets.wrap(made.privateKey, CONTEXT);
    await insertVapidKeys(deps.db, { publicKey: made.publicKey, privateKeyWrapped, createdAt: deps.clock() });
  }
  const kept = await loadVapidKeys(deps.db);
  if (kept === null) throw new Error("The key for push services was written and is not there");
  return { publicKey: kept.publicKey, privateKey: deps.secrets.unwrap(kept.privateKeyWrapped, CONTEXT) };
}
