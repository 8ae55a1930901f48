import type { Proof } from "@paraphe/contracts";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";

/**
 * What the code of a printed page says, once its signature was checked here. `cut`: it is no whole code, of any print; `forged`: no seal of this service signed it for this print;
 * `other`: it did, of a file that is not among those shown now; `revoked`: with a key that was revoked, which may be in anybody's hands. `page` 0 is a page that was added; `document` is the file that it was made of.
 */
export type PaperCheck =
  | { readonly state: "cut" | "forged" }
  | {
      readonly state: "other";
      readonly page: number;
      readonly count: number;
      readonly madeOn: string;
    }
  | {
      readonly state: "revoked";
      readonly page: number;
      readonly count: number;
      readonly madeOn: string;
    }
  | {
      readonly state: "ours";
      readonly page: number;
      readonly count: number;
      readonly madeOn: string;
      readonly document: Proof["documents"][number];
    };

/** Checks the fragment of a page's address against the print that the address asks about: a statement of another print verifies for none. */
export async function checkStatement(
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
