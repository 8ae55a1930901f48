/**
 * Each text of law that is published: the day it took effect (Paris), and the SHA-256 of what it says, which a test holds against the text. Whoever
 * changes a text gives it another day, then its new hash.
 */
export const LEGAL_VERSIONS = {
  conditions: { since: "2026-11-21", sha256: "387d9335c4ca4e821db02436722570710d2850b9883d191dbe418d54795bd709" },
  privacy: { since: "2026-11-26", sha256: "89f59083f9798f9ec3a392b49ee3bf210dd618c08f5c2cb1a4560007c0c68af8" },
  certificationPolicy: { since: "2026-11-27", sha256: "70f795282703344cdd157001c2639098892a27528491d5f507e02b28fd4f3e82" },
} as const;
