import { createTree } from "./tree.ts";

/** Gives the root of the tree of these leaves' hashes. Source: RFC 9162 §2.1.1. */
export function rootOf(leafHashes: readonly Uint8Array[]): Uint8Array {
  const tree = createTree();
  for (const hash of leafHashes) tree.append(hash);
  return tree.root();
}
