import type { Checkpoint } from "@paraphe/contracts";
import { hexOfBytes } from "../../lib/hex.ts";
import { checkContinuity, type Continuity } from "./check-continuity.ts";

/**
 * What the log says to a document of somebody's own. `alone`: a PDF without its proof, of which the log says nothing; `none`: neither; `uncovered`: the log did not cover it when
 * the proof was made; `broken`: the proof's own journal or path does not hold; `other`: the PDF (`name`) is none that the proof and the log name; `unlogged`: the checkpoint that the proof leads to is not one of this
 * log, or the log no longer begins with it.
 */
export type Own =
  | { readonly state: "alone" | "none" | "uncovered" | "broken" }
  | { readonly state: "other"; readonly name: string }
  | { readonly state: "unlogged"; readonly continuity: Exclude<Continuity, { readonly outcome: "holds" }> }
  | { readonly state: "logged"; readonly at: string; readonly place: number; readonly isFileHeld: boolean };

/** A file is taken for what it holds: a proof begins as JSON does. */
const isProof = (bytes: Uint8Array): boolean => /^\s*\{/.test(new TextDecoder("latin1").decode(bytes.subarray(0, 64)));

/** Checks, in this browser, that a proof's journal stands in the log, and that the PDF beside it is one that it names. Throws `ApiError` when the path cannot be had. */
export async function checkOwn(files: readonly File[], latest: Checkpoint): Promise<Own> {
  const read = await Promise.all(files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
  const proof = read.findLast(({ bytes }) => isProof(bytes));
  const pdf = read.findLast(({ bytes }) => !isProof(bytes));
  if (proof === undefined) return { state: pdf === undefined || !isPdf(pdf.bytes) ? "none" : "alone" };
  const { readLoggedProof } = await import("@paraphe/proof/logged");
  const logged = readLoggedProof(proof.bytes);
  if (logged.state !== "covered") return { state: logged.state };
  const hash = pdf === undefined ? null : hexOfBytes(new Uint8Array(await crypto.subtle.digest("SHA-256", pdf.bytes)));
  if (pdf !== undefined && hash !== null && !logged.files.includes(hash)) return { state: "other", name: pdf.name };
  const { inclusion } = logged;
  const continuity = await checkContinuity(inclusion.checkpoint, latest);
  if (continuity.outcome !== "holds") return { state: "unlogged", continuity };
  return { state: "logged", at: inclusion.checkpoint.at, place: inclusion.leaf_index + 1, isFileHeld: hash !== null };
}

function isPdf(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 1_024)).includes("%PDF-");
}
