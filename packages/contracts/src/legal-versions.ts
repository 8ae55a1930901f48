/**
 * Each text of law that is published: the day it took effect (Paris), and the SHA-256 of what it says, which a test holds against the text. Whoever
 * changes a text gives it another day, then its new hash.
 */
export const LEGAL_VERSIONS = {
  conditions: { since: "2026-11-21", sha256: "387d9335c4ca4e821db02436722570710d2850b9883d191dbe418d54795bd709" },
  privacy: { since: "2026-11-27", sha256: "31407dce9df5f2a42ba9b0fb84f7d0f8eeb6094538171171de8aa987c500787b" },
  certificationPolicy: { since: "2026-11-27", sha256: "ed1f519d938ab9f97ab862c752370303962cfb8e972152fd7f9c5b070fc6cada" },
} as const;
