/** `find` occurs once in `file`; `replace` is a likely mistake. */
export type Fault = {
  readonly name: string;
  readonly layer: "pades" | "contracts" | "server" | "platform" | "web";
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Path prefixes of test files tried early, where only stories or kills can find the fault. */
  readonly tries?: readonly string[];
};

const PADES: readonly Fault[] = [
  {
    name: "signature-value-not-verified",
    layer: "pades",
    file: "packages/pades/src/validate/check-cms.ts",
    find: `  if (value === "invalid") return { indication: "TOTAL_FAILED", sub: "SIG_CRYPTO_FAILURE" };\n`,
    replace: "",
  },
  {
    name: "digest-of-the-wrong-range",
    layer: "pades",
    file: "packages/pades/src/sign/prepare-signature.ts",
    find: "await digestAround(bytes, { from: contentsAt, to: after });",
    replace: "await digestAround(bytes, { from: contentsAt, to: after - 1 });",
  },
  {
    name: "field-five-points-off",
    layer: "pades",
    file: "packages/pades/src/pdf/page-geometry.ts",
    find: "if (rotation === 270) return [right - down * width, top - across * height];",
    replace: "if (rotation === 270) return [right - down * width, top - 5 - across * height];",
  },
  {
    name: "later-change-not-compared",
    layer: "pades",
    file: "packages/pades/src/validate/compare-revisions.ts",
    find: 'walk.compareDicts(before, after, (key) => (key === "Annots" && areLists ? "skip" : "same"));',
    replace:
      'walk.compareDicts(before, after, (key) => (key === "Annots" || key === "Contents" ? "skip" : "same"));',
    tries: ["packages/pades/src/validate/attacks.test.ts"],
  },
  {
    name: "revocation-ignored",
    layer: "pades",
    file: "packages/pades/src/validate/validate-certificate.ts",
    find: "if (provenAt && fact.revokedAt && provenAt < fact.revokedAt) return null;",
    replace: "if (provenAt && fact.revokedAt) return null;",
  },
  {
    name: "weak-time-stamp-accepted",
    layer: "pades",
    file: "packages/pades/src/tsp/timestamp.ts",
    find: `  if (facts.hashAlgorithm === WEAK_DIGEST)\n    throw weak("an imprint by a digest that is still trusted");\n`,
    replace: "",
    tries: ["packages/pades/src/validate/attacks"],
  },
  {
    name: "lock-dictionary-left-out",
    layer: "pades",
    file: "packages/pades/src/sign/prepare-fields.ts",
    find: "/F ${FLAGS.signature}/Lock ${lock} 0 R/AP",
    replace: "/F ${FLAGS.signature}/AP",
  },
  {
    name: "wrong-level-reported",
    layer: "pades",
    file: "packages/pades/src/validate/validate.ts",
    find: `return covered ? "B-LTA" : "B-LT";`,
    replace: `return covered || draft.longTerm ? "B-LTA" : "B-LT";`,
    tries: ["packages/pades/src/sign/long-term"],
  },
  {
    name: "hostile-size-twice-as-large",
    layer: "pades",
    file: "packages/pades/src/pdf/deflate.ts",
    find: "const MAX_INFLATED_BYTES = 200 * 1024 * 1024;",
    replace: "const MAX_INFLATED_BYTES = 400 * 1024 * 1024;",
  },
];

const CONTRACTS: readonly Fault[] = [
  {
    name: "french-sentence-changed",
    layer: "contracts",
    file: "packages/contracts/src/problems.ts",
    find: "Vous avez déjà signé ce document.",
    replace: "Ce document est déjà signé.",
    tries: ["apps/server/src/features/signing/sign-routes"],
  },
  {
    name: "limit-changed",
    layer: "contracts",
    file: "packages/contracts/src/constants.ts",
    find: "export const OTP_TRIES_PER_CODE = 5;",
    replace: "export const OTP_TRIES_PER_CODE = 6;",
    tries: ["apps/server/src/features/signing/one-time-code"],
  },
  {
    name: "status-of-a-refusal-changed",
    layer: "contracts",
    file: "packages/contracts/src/problems.ts",
    find: "recipient_answered: { status: 409,",
    replace: "recipient_answered: { status: 400,",
    tries: ["apps/server/src/features/envelopes/correct-recipient"],
  },
];

const SERVER: readonly Fault[] = [
  {
    name: "owner-not-required",
    layer: "server",
    file: "apps/server/src/features/envelopes/change-envelope.ts",
    find: `return viewer.value.kind === "owner" ? success(aggregate) : failure(problem("not_allowed"));`,
    replace: "return success(aggregate);",
    tries: [
      "apps/server/src/features/envelopes/duplicate-envelope",
      "apps/server/src/features/envelopes/templates/templates",
    ],
  },
  {
    name: "envelope-not-locked",
    layer: "server",
    file: "apps/server/src/features/envelopes/store.ts",
    find: "select from envelopes where id = ${id}::uuid and purged_at is null for update`",
    replace: "select from envelopes where id = ${id}::uuid and purged_at is null`",
    tries: ["apps/server/src/features/envelopes/send-envelope"],
  },
  {
    name: "code-used-twice",
    layer: "server",
    file: "apps/server/src/features/signing/domain/codes.ts",
    find: "    code.usedAt === null &&\n",
    replace: "",
  },
  {
    name: "wrong-codes-not-counted",
    layer: "server",
    file: "apps/server/src/features/signing/one-time-code.ts",
    find: "writes: [() => countWrongTry(trx, guest.holder, counted)],",
    replace: "writes: verdict.kills ? [() => countWrongTry(trx, guest.holder, counted)] : [],",
  },
  {
    name: "csrf-token-of-another-session",
    layer: "server",
    file: "apps/server/src/platform/http/csrf-cookies.ts",
    find: "return timingSafeEqual(Buffer.from(header), Buffer.from(csrfTokenOf(platform, secret)));",
    replace: "return header === request.cookies[CSRF_COOKIE];",
    tries: ["apps/server/src/features/accounts/csrf"],
  },
  {
    name: "sessions-outlive-the-password",
    layer: "server",
    file: "apps/server/src/features/accounts/change-password.ts",
    find: "  await revokeSessionsOfUser(trx, { userId: account.id, exceptSessionId: keptSessionId, now });\n",
    replace: "",
    tries: [
      "apps/server/src/features/accounts/own-password",
      "apps/server/src/features/accounts/password-reset",
    ],
  },
  {
    name: "invitation-sent-twice",
    layer: "server",
    file: "apps/server/src/features/envelopes/domain/decisions.ts",
    find: "awaited.has(recipient.id) && isUninvited(recipient),",
    replace: "awaited.has(recipient.id),",
  },
  {
    name: "notices-not-withdrawn",
    layer: "server",
    file: "apps/server/src/features/envelopes/commit.ts",
    find: "    ...withdrawn.map((which) => withdrawNotices(platform, which)),\n",
    replace: "",
    tries: ["apps/server/src/features/envelopes/correct-recipient"],
  },
  {
    name: "failed-acts-not-resumed",
    layer: "server",
    file: "apps/server/src/features/signing/seal/store.ts",
    find: `    .where("sealed_at", "is", null)\n    .orderBy("signed_at")\n`,
    replace: `    .where("sealed_at", "is", null)\n    .where("last_failure", "is", null)\n    .orderBy("signed_at")\n`,
    tries: ["apps/server/src/features/signing/seal/interrupted"],
  },
  {
    name: "file-of-a-batch-taken-twice",
    layer: "server",
    file: "apps/server/src/features/signing/batch/store.ts",
    find: "order by i.position limit ${most} for update of i skip locked",
    replace: "order by i.position limit ${most}",
    tries: ["apps/server/src/features/signing/batch/batch"],
  },
  {
    name: "journal-event-left-out",
    layer: "server",
    file: "apps/server/src/features/signing/one-time-code.ts",
    find: "events: [verified, ...view.events],",
    replace: "events: view.events,",
    tries: ["apps/server/src/features/signing/one-time-code"],
  },
  {
    name: "chain-hash-without-the-actor",
    layer: "server",
    file: "apps/server/src/features/journal/journal.ts",
    find: "  return canonicalBytes(event);\n",
    replace: "  return canonicalBytes({ ...event, actor: undefined });\n",
    tries: [
      "apps/server/src/features/journal/",
      "apps/server/src/features/proof/evidence/evidence",
    ],
  },
  {
    name: "proof-believes-another-file",
    layer: "server",
    file: "apps/server/src/features/proof/prints/domain/verdicts.ts",
    find: "if (files.some((file) => !file.isNamed)) return ANOTHER;",
    replace: "",
    tries: [
      "apps/server/src/features/proof/prints/domain/verdicts",
      "apps/server/src/features/proof/prints/forged-rows",
    ],
  },
  {
    name: "evidence-leaves-a-line-out",
    layer: "server",
    file: "apps/server/src/features/proof/evidence/describe-people.ts",
    find: `        { label: "Depuis", values: placeOf(consent) },\n`,
    replace: "",
    tries: ["apps/server/src/features/proof/evidence/parties"],
  },
  {
    name: "purge-after-nine-days",
    layer: "server",
    file: "apps/server/src/features/envelopes/domain/deadlines.ts",
    find: "return addParisDays(cancelledAt, PURGE_AFTER_DAYS);",
    replace: "return addParisDays(cancelledAt, PURGE_AFTER_DAYS - 1);",
  },
  {
    name: "quota-off-by-one",
    layer: "server",
    file: "apps/server/src/features/signing/domain/codes.ts",
    find: "if (ages.filter((age) => age < HOUR_S).length >= OTP_CODES_PER_HOUR) {",
    replace: "if (ages.filter((age) => age < HOUR_S).length > OTP_CODES_PER_HOUR) {",
  },
];

const PLATFORM: readonly Fault[] = [
  {
    name: "stored-file-not-hashed",
    layer: "platform",
    file: "apps/server/src/platform/files/folder-file-store.ts",
    find: "if (Buffer.compare(hashOf(bytes), sha256) !== 0)",
    replace: "if (bytes.length === 0)",
  },
  {
    name: "job-not-tried-again",
    layer: "platform",
    file: "apps/server/src/platform/queue/create-queue.ts",
    find: "    retryLimit: options.retryLimit,\n",
    replace: "    retryLimit: 0,\n",
  },
  {
    name: "sandbox-without-time-limit",
    layer: "platform",
    file: "apps/server/src/platform/pdf-sandbox/sandbox-process.ts",
    find: "if (used >= taskMs) return",
    replace: "if (used >= 2 ** 31) return",
  },
  {
    name: "push-to-a-private-address",
    layer: "platform",
    file: "apps/server/src/platform/guarded-call.ts",
    find: "if (first === undefined || !addresses.every(({ address }) => mayReach(address)))",
    replace: "if (first === undefined || !addresses.some(({ address }) => mayReach(address)))",
  },
];

const WEB: readonly Fault[] = [
  {
    name: "label-removed",
    layer: "web",
    file: "apps/web/src/features/signing/batch/batch-view.tsx",
    find: `          aria-label="Signature des documents"\n`,
    replace: "",
    tries: ["tests/journeys/bulk"],
  },
  {
    name: "button-disabled-wrongly",
    layer: "web",
    file: "apps/web/src/features/signing/batch/placing-side.tsx",
    find: "disabled={index === files.length - 1}",
    replace: "disabled={index === 0}",
    tries: ["tests/journeys/bulk"],
  },
  {
    name: "focus-not-given-back",
    layer: "web",
    file: "apps/web/src/ui/dialog/use-modal.ts",
    find: "      if (origin instanceof HTMLElement && origin.isConnected)\n        origin.focus({ preventScroll: true });\n",
    replace: "",
  },
  {
    name: "date-in-the-wrong-zone",
    layer: "web",
    file: "packages/kernel/src/french-dates.ts",
    find: `{ timeZone: "Europe/Paris", ...options }`,
    replace: `{ timeZone: "UTC", ...options }`,
  },
  {
    name: "too-pale-in-the-dark",
    layer: "web",
    file: "apps/web/src/ui/styles/themes.css",
    find: "  --ink-3: #949db6;\n",
    replace: "  --ink-3: #4c5469;\n",
    tries: ["tests/journeys/verify.", "tests/journeys/settings", "tests/journeys/printing"],
  },
  {
    name: "field-dropped-five-points-off",
    layer: "web",
    file: "apps/web/src/pdf/page-layout.ts",
    find: "    x: (clientX - frame.left) / frame.width,\n",
    replace: "    x: (clientX - frame.left) / frame.width + 5 / 595,\n",
    tries: ["tests/journeys/placement-mouse", "tests/journeys/placement"],
  },
  {
    name: "session-expired-not-handled",
    layer: "web",
    file: "apps/web/src/lib/api/api-client.ts",
    find: "      if (response.status === 401) callbacks.onSessionLost(await endingReason(response));\n",
    replace: "",
  },
  {
    name: "invalid-proof-shown-as-valid",
    layer: "web",
    file: "apps/web/src/features/proof/prints/shown-verdict.ts",
    find: `if (verdict === "invalid") return { verdict, reason };`,
    replace: `if (verdict === "invalid") return { verdict: "valid", reason };`,
  },
];

/** Forty faults over all layers; a test has to find each. */
export const FAULTS: readonly Fault[] = [...PADES, ...CONTRACTS, ...SERVER, ...PLATFORM, ...WEB];
