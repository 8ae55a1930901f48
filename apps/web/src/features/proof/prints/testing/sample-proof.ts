import type { Proof } from "@paraphe/contracts";

export const HASH = "9f2c41d7a8be03c65d1e7f90b42a6c38e5d7019ab3f4c86211e0d59a7b8c4f23";
const MD5 = "5d41402abc4b2a76b9719d911017c592";

/** What the service answers of a lease that two people signed, or were to sign. */
export function sampleProof(part: Partial<Proof> = {}): Proof {
  return {
    title: "Bail",
    completed: true,
    completed_at: "2026-11-22T08:14:00Z",
    document_url: "https://localhost/doc",
    hash_sha256: HASH,
    hash_md5: MD5,
    signers: [
      { full_name: "Clémence Aubry-Lefèvre", signed: true, signed_at: "2026-11-21T11:38:00Z" },
      { full_name: "Théo Lenoir", signed: true, signed_at: "2026-11-22T08:14:00Z" },
    ],
    certificate: {
      subject: { CN: "Clémence Aubry-Lefèvre", O: null, C: "FR" },
      serial_number: "4a19e07c52b308df",
      valid_from: "2026-01-02T00:00:00Z",
      valid_to: "2029-01-01T00:00:00Z",
      revocation: {
        ocsp_status: "good",
        ocsp_url: "https://localhost/pki/ocsp",
        crl_status: "good",
        crl_url: null,
        ocsp_at: "2026-11-22T08:59:00Z",
        crl_at: null,
      },
      timestamp: null,
      issuers: ["Paraphe Signature", "Paraphe Racine"],
      hash_algorithm: "SHA-256",
      valid_at_signing: true,
    },
    verdict: "valid",
    reason: "Toutes les signatures sont valides.",
    warnings: [],
    integrity: true,
    level: "B-T",
    documents: [
      {
        name: "bail.pdf",
        hash_sha256: HASH,
        hash_md5: MD5,
        document_url: "https://localhost/doc",
        page_count: 3,
      },
    ],
    checked_at: "2026-11-22T09:00:00Z",
    purged: false,
    purged_at: null,
    cancelled: false,
    proof_only: false,
    chain: { intact: true, count: 9 },
    inclusion: null,
    statement_keys: [],
    ...part,
  };
}

/** Somebody is still awaited. */
export const WAITING: Partial<Proof> = {
  completed: false,
  completed_at: null,
  verdict: "indeterminate",
  reason: "Les signatures apposées sont valides, mais une signature est encore attendue.",
  signers: [
    { full_name: "Clémence Aubry-Lefèvre", signed: true, signed_at: "2026-11-21T11:38:00Z" },
    { full_name: "Théo Lenoir", signed: false, signed_at: null },
  ],
};

/** What the service says of a purged envelope. */
export const PURGED: Partial<Proof> = {
  purged: true,
  title: null,
  signers: [],
  certificate: null,
  verdict: "indeterminate",
  reason: "Le propriétaire a supprimé ce document. Seules ses empreintes et ses dates restent.",
  document_url: null,
  documents: [
    { name: null, hash_sha256: HASH, hash_md5: null, document_url: null, page_count: null },
  ],
};
