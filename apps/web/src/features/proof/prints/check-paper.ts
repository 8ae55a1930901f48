import type { Proof } from "@paraphe/contracts";
import { useLoaded } from "../../../lib/api/use-loaded.ts";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";

/** `page` 0 is a page added by the service. */
type PageSaid = { readonly page: number; readonly count: number; readonly madeOn: string };

/**
 * `cut`: an incomplete code; `forged`: not sealed by this service for this print; `other`: of a file
 * not shown now; `revoked`: sealed with a revoked key; `ours`: a genuine code of `document`.
 */
export type PaperCheck =
  | { readonly state: "cut" | "forged" }
  | ({ readonly state: "other" } & PageSaid)
  | ({ readonly state: "revoked" } & PageSaid)
  | ({ readonly state: "ours"; readonly document: Proof["documents"][number] } & PageSaid);

async function checkStatement(
  printId: string,
  fragment: string,
  proof: Pick<Proof, "documents" | "statement_keys" | "revoked_statement_keys">,
): Promise<PaperCheck> {
  const { readStatement, verifyStatement } = await import("@paraphe/proof/statement");
  const signed = readStatement(printId, fragment);
  if (signed === null) return { state: "cut" };
  const isSignedBy = async (keys: readonly string[] = []) =>
    (await verifyStatement(signed, keys.map(fromBase64))) !== null;
  const { pageNumber: page, pageCount: count, hashPrefix, madeOn } = signed.statement;
  if (await isSignedBy(proof.revoked_statement_keys))
    return { state: "revoked", page, count, madeOn };
  if (!(await isSignedBy(proof.statement_keys))) return { state: "forged" };
  const prefix = toHex(hashPrefix);
  const document = proof.documents.find(({ hash_sha256 }) => hash_sha256.startsWith(prefix));
  return document === undefined
    ? { state: "other", page, count, madeOn }
    : { state: "ours", page, count, madeOn, document };
}

/** `none`: the address has no page code; `away`: the verifying code did not load. */
export type PaperState = { readonly state: "none" | "checking" | "away" } | PaperCheck;

/** Verified in the browser, with the proof's keys. */
export function usePaperCheck(uuid: string, fragment: string, proof: Proof): PaperState {
  const checked = useLoaded(`${uuid} ${fragment}`, async () =>
    fragment === "" ? null : checkStatement(uuid, fragment, proof),
  );
  if (fragment === "") return { state: "none" };
  if (checked.status === "failed") return { state: "away" };
  return checked.status === "ready" && checked.value !== null
    ? checked.value
    : { state: "checking" };
}
