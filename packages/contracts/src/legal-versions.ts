/**
 * Each text of law that is published: the day it took effect (Paris), and the SHA-256 of what it says, which a test holds against the text. Whoever
 * changes a text gives it another day, then its new hash.
 */
export const LEGAL_VERSIONS = {
  conditions: { since: "2026-11-21", sha256: "387d9335c4ca4e821db02436722570710d2850b9883d191dbe418d54795bd709" },
  privacy: { since: "2026-11-27", sha256: "9e0fd2d2d5a6f0b7283a9186d0934a31be7fed92c1062749f7617bfab221bbb6" },
  certificationPolicy: { since: "2026-11-27", sha256: "1fcb75bfe47225b279771cfacd2dc232a66e1aa0afbb314fc2987c92c4fb383e" },
} as const;
