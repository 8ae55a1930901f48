import type { NoticeContents } from "../src/features/notices/domain/notice.ts";

const ORIGIN = "https://sign.exemple.fr";
const request = {
  envelopeTitle: "Bail – 12 rue Haute <b>& Cie</b>",
  senderName: "Paul Martin",
  senderEmail: "paul.martin@exemple.fr",
  role: "signer",
  deadlineAt: "2026-11-28T17:00:00.000Z",
  message: "Bonjour Zoë,\nmerci de signer <script>alert(1)</script> avant vendredi.",
  link: `${ORIGIN}/sign/01990000-0000-7000-8000-000000000001?token=${"t".repeat(43)}`,
} as const;

/** One of each kind, with a title that looks like HTML. */
export const NOTICE_SAMPLES: NoticeContents = {
  activation: { username: "zoe", link: `${ORIGIN}/api/signature/activate/u/t/` },
  already_registered: { loginLink: `${ORIGIN}/login`, resetLink: `${ORIGIN}/password-reset` },
  reset: { username: "zoe", link: `${ORIGIN}/reset-password/u/t` },
  password_changed: {
    changedAt: "2026-11-21T14:16:00.000Z",
    resetLink: `${ORIGIN}/password-reset`,
  },
  address_confirmation: { link: `${ORIGIN}/profile?email=${"t".repeat(43)}` },
  address_changing: {
    newAddress: "z•••@exemple.fr",
    done: false,
    resetLink: `${ORIGIN}/password-reset`,
  },
  account_erased: {
    erasedAt: "2026-11-21T14:16:00.000Z",
    keepsEvidence: true,
    privacyLink: `${ORIGIN}/confidentialite`,
  },
  checkpoint: {
    size: 1_234,
    root: "5f".repeat(32),
    at: "2026-11-21T14:16:00.000Z",
    file: { name: "checkpoint-000000001234.json", text: '{\n  "size": 1234\n}\n' },
  },
  summary: {
    items: [
      {
        words: "Zoë Œuvrard a signé «\u00a0Bail – 12 rue Haute <b>& Cie</b>\u00a0»",
        at: "2026-11-21T14:16:00.000Z",
        link: `${ORIGIN}/signature/detail/e`,
      },
      { words: "Demande annulée\u00a0: Mandat", at: "2026-11-21T15:00:00.000Z", link: null },
    ],
    settingsLink: `${ORIGIN}/settings/notifications`,
  },
  trial: { link: `${ORIGIN}/settings/notifications` },
  invitation: request,
  code: { code: "482913", envelopeTitle: request.envelopeTitle, senderName: "Paul Martin" },
  phone_code: { code: "482913" },
  reminder: request,
  expiring: { ...request, deadlineAt: "2026-11-28T17:00:00.000Z", daysLeft: 2, waitingFor: null },
  extended: { ...request, deadlineAt: "2026-12-05T17:00:00.000Z", reopened: true },
  extension_requested: {
    envelopeTitle: request.envelopeTitle,
    recipientName: "Zoë Œuvrard",
    deadlineAt: "2026-11-20T17:00:00.000Z",
    link: `${ORIGIN}/signature/detail/e`,
  },
  signed: {
    envelopeTitle: request.envelopeTitle,
    signerName: "Zoë Œuvrard",
    signedAt: "2026-11-21T14:16:00.000Z",
    signedCount: 1,
    signerCount: 2,
    link: `${ORIGIN}/signature/detail/e`,
  },
  batch_ended: {
    batchTitle: request.envelopeTitle,
    total: 500,
    done: 498,
    failed: 2,
    endedAt: "2026-11-21T14:16:00.000Z",
    link: `${ORIGIN}/signature/bulk-same?lot=01990000-0000-7000-8000-000000000001`,
  },
  completed: {
    envelopeTitle: request.envelopeTitle,
    senderName: "Paul Martin",
    completedAt: "2026-11-21T14:16:00.000Z",
    link: `${ORIGIN}/sign/e?token=t`,
    proofLink: `${ORIGIN}/verify/p?sig=s`,
    attachments: [],
  },
  declined: {
    envelopeTitle: request.envelopeTitle,
    recipientName: "Zoë Œuvrard",
    reason: "Erreur dans le document",
    link: `${ORIGIN}/signature/detail/e`,
  },
  cancelled: {
    envelopeTitle: request.envelopeTitle,
    senderName: "Paul Martin",
    senderEmail: "paul.martin@exemple.fr",
  },
  expired: {
    envelopeTitle: request.envelopeTitle,
    senderName: "Paul Martin",
    deadlineAt: "2026-11-20T17:00:00.000Z",
    link: null,
  },
};
