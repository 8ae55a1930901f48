import { emptyRoot, nodeHash } from "./hashes.ts";
import { hashOfRange, type Subtree, subtreesOf } from "./subtrees.ts";

export type TreeNode = Subtree & { readonly hash: Uint8Array };

/** A tree that grows, of which only the right edge is held: as many hashes as its size has bits set. */
export type Tree = {
  readonly size: number;
  /** Adds a leaf; gives the full subtrees that it completes, the leaf itself first. */
  append(leafHash: Uint8Array): readonly TreeNode[];
  root(): Uint8Array;
};

/** The size of a tree and its full subtrees' hashes, in the order of `subtreesOf`. */
export type TreeEdge = { readonly size: number; readonly hashes: readonly Uint8Array[] };

/**
 * Gives an empty tree, or one that goes on from an edge.
 * Errors: RangeError when the edge has not as many hashes as its size asks for.
 * Source: RFC 9162 §2.1.1, §2.1.2.
 */
export function createTree(edge: TreeEdge = { size: 0, hashes: [] }): Tree {
  if (subtreesOf({ start: 0, end: edge.size }).length !== edge.hashes.length)
    throw new RangeError(`The edge of a tree of ${edge.size} leaves is not ${edge.hashes.length} hashes`);
  const hashes = [...edge.hashes];
  let size = edge.size;
  return {
    get size() {
      return size;
    },
    append(leafHash) {
      const completed: TreeNode[] = [{ level: 0, index: size, hash: leafHash }];
      let hash = leafHash;
      // Each full subtree that ends where this one begins, and is as large, makes a larger one with it.
      for (let [level, index] = [0, size]; index % 2 === 1; ) {
        hash = nodeHash(hashes.pop() as Uint8Array, hash);
        level += 1;
        index = (index - 1) / 2;
        completed.push({ level, index, hash });
      }
      hashes.push(hash);
      size += 1;
      return completed;
    },
    root: () => (size === 0 ? emptyRoot() : hashOfRange(hashes)),
  };
}
