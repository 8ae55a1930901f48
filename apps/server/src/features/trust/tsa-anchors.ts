import { createHash } from "node:crypto";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { keepSecret, loadSecrets, removeSecret } from "./store.ts";

/** The top of the chain of an outside authority, met at its first token and kept: under its address while it is in use, under its digest afterwards. */
const LIVING = "tsa-anchor:";
const RETIRED = "tsa-anchor-retired:";
/** What another process kept or retired is known everywhere after this. */
const RELOAD_AFTER_MS = 30_000;

type AnchorPlatform = Pick<Platform, "db" | "secrets" | "clock">;

/** The anchors of outside authorities, DER. Those of authorities that are not in use any more prove old signatures for ever. */
export type TsaAnchors = {
  all(): Promise<readonly Uint8Array[]>;
  of(url: string): Promise<Uint8Array | null>;
  /** Gives the anchor kept for this address: the first process to meet the authority decides, the others read what it kept. */
  keep(url: string, der: Uint8Array): Promise<Uint8Array>;
};

export function openTsaAnchors(platform: AnchorPlatform): TsaAnchors {
  let known: { readonly anchors: ReadonlyMap<string, Uint8Array>; readonly at: number } | null = null;
  const load = async (): Promise<ReadonlyMap<string, Uint8Array>> => {
    const now = platform.clock().getTime();
    if (known === null || Math.abs(now - known.at) >= RELOAD_AFTER_MS) known = { anchors: await loadAnchors(platform), at: now };
    return known.anchors;
  };
  return {
    all: async () => [...(await load()).values()],
    of: async (url) => (await load()).get(LIVING + url) ?? null,
    async keep(url, der) {
      const name = LIVING + url;
      await keepSecret(platform.db, { name, wrapped: platform.secrets.wrap(der, name), createdAt: platform.clock() });
      known = null;
      return (await load()).get(name) ?? der;
    },
  };
}

/** Retires the anchor of this address, so that the next token's is kept in its place; gives whether there was one. */
export async function retireAnchor(trx: Transaction, platform: AnchorPlatform, url: string): Promise<boolean> {
  const anchor = (await loadAnchors({ ...platform, db: trx })).get(LIVING + url);
  if (anchor === undefined) return false;
  const name = RETIRED + createHash("sha256").update(anchor).digest("hex");
  await keepSecret(trx, { name, wrapped: platform.secrets.wrap(anchor, name), createdAt: platform.clock() });
  return removeSecret(trx, LIVING + url);
}

async function loadAnchors({
  db,
  secrets,
}: Pick<AnchorPlatform, "secrets"> & { readonly db: Platform["db"] | Transaction }): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = [...(await loadSecrets(db, LIVING)), ...(await loadSecrets(db, RETIRED))];
  return new Map(rows.map(({ name, wrapped }) => [name, secrets.unwrap(wrapped, name)]));
}
