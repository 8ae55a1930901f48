import type { Proof } from "@paraphe/contracts";
import { hexOfBytes } from "../../lib/hex.ts";

/**
 * What the code of a printed page says, once its signature was checked here. `forged`: no seal of this service signed it for this print;
 * `other`: it did, of a file that is not among those shown now. `page` 0 is a page that was added; `document` is the file that it was made of.
 */
export type PaperCheck =
  | { readonly state: "forged" }
  | { readonly state: "other"; readonly page: number; readonly count: number; readonly madeOn: string }
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
  proof: Pick<Proof, "documents" | "statement_keys">,
): Promise<PaperCheck> {
  const { readStatement, verifyStatement } = await import("@paraphe/proof/statement");
  const signed = readStatement(printId, fragment);
  const keys = proof.statement_keys.map((text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  if (signed === null || (await verifyStatement(signed, keys)) === null) return { state: "forged" };
  const { pageNumber: page, pageCount: count, hashPrefix, madeOn } = signed.statement;
  const prefix = hexOfBytes(hashPrefix);
  const document = proof.documents.find(({ hash_sha256 }) => hash_sha256.startsWith(prefix));
  return document === undefined ? { state: "other", page, count, madeOn } : { state: "ours", page, count, madeOn, document };
}
