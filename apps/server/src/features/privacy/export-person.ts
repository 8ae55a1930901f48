import type { Readable } from "node:stream";
import type { Platform } from "../../platform/platform.ts";
import { listSessions, type ProfileCopy, readProfile, type SessionUser } from "../accounts/public.ts";
import { selectEnvelopesOf } from "../envelopes/public.ts";
import { listPushSubscriptions, selectPersonNotices } from "../notices/public.ts";
import { ownProofs } from "../proof/public.ts";
import { batchesOf } from "./export-batches.ts";
import type { PersonalDataDeps } from "./deps.ts";
import { README } from "./domain/readme-text.ts";
import { exportEnvelope } from "./export-envelope.ts";
import { exportSignatures } from "./export-signatures.ts";
import { exportTemplates } from "./export-templates.ts";
import { jsonArray } from "./json-array.ts";
import { type Archive, openArchive, ReaderGoneError } from "./open-archive.ts";

const PAGE = 100;

/** Gives a zip of all that the service holds of a person, made while it is read; null when the account is gone. */
export async function exportPerson(deps: PersonalDataDeps, user: SessionUser): Promise<Readable | null> {
  const { platform } = deps.accounts;
  const copy = await readProfile(platform.db, user.id);
  if (copy === null) return null;
  const archive = openArchive(platform.clock());
  void fill(deps, { archive, user, copy }).then(
    () => archive.end(),
    (error: unknown) => {
      if (!(error instanceof ReaderGoneError)) platform.log.error({ userId: user.id, err: error }, "an export of personal data broke off");
      archive.end(error instanceof Error ? error : new Error(String(error)));
    },
  );
  return archive.output;
}

type Filling = { readonly archive: Archive; readonly user: SessionUser; readonly copy: ProfileCopy };

async function fill(deps: PersonalDataDeps, { archive, user, copy }: Filling): Promise<void> {
  const { platform } = deps.accounts;
  await archive.addText("LISEZ-MOI.txt", [README]);
  await archive.addText("profil.json", [json(copy.profile)]);
  const browsers = await listPushSubscriptions(platform.db, user.id);
  await archive.addText("preferences.json", [json({ notifications: copy.notifications, push_subscriptions: browsers })]);
  await archive.addText("sessions.json", [json((await listSessions(platform, user)).results)]);
  await archive.addText("messages.json", jsonArray(messagesOf(platform, user)));
  await archive.addText("lots.json", jsonArray(batchesOf(platform, user.id)));
  const missing: string[] = [];
  if (copy.avatarSha256 !== null) await addAvatar(platform, { archive, sha256: copy.avatarSha256, missing });
  for await (const envelopeId of envelopesOf(platform, user))
    missing.push(...(await exportEnvelope(platform, { archive, user, envelopeId })));
  await exportSignatures(platform, { archive, userId: user.id });
  missing.push(...(await exportTemplates(platform, { archive, ownerId: user.id })));
  for await (const proof of ownProofs(deps.prints, user.id)) {
    // Made now, from the stored files: one that cannot be read is told of, and does not lose the rest.
    const sealed = await proof.seal().catch(() => null);
    const name = `preuves/${proof.id}/preuve.json`;
    if (sealed === null) missing.push(name);
    else await archive.addText(name, [json(sealed)]);
  }
  if (missing.length > 0) await archive.addText("fichiers-indisponibles.json", [json(missing)]);
}

async function addAvatar(
  platform: Platform,
  { archive, sha256, missing }: { readonly archive: Archive; readonly sha256: Uint8Array; readonly missing: string[] },
): Promise<void> {
  const sizeBytes = await platform.files.size(sha256);
  if (sizeBytes === null) missing.push("photo.webp");
  else await archive.addFile("photo.webp", { sizeBytes, open: () => platform.files.stream(sha256) });
}

async function* envelopesOf(platform: Platform, user: SessionUser) {
  for (let afterId: string | null = null; ; ) {
    const page = await selectEnvelopesOf(platform.db, { userId: user.id, emailKey: user.recipient_key, afterId, limit: PAGE });
    yield* page;
    afterId = page.at(-1) ?? null;
    if (page.length < PAGE) return;
  }
}

async function* messagesOf(platform: Platform, user: SessionUser) {
  for (let afterId: string | null = null; ; ) {
    const page = await selectPersonNotices(platform.db, { userId: user.id, emailKey: user.recipient_key, afterId, limit: PAGE });
    for (const notice of page)
      yield {
        kind: notice.kind,
        channel: notice.channel,
        destination: notice.destination,
        envelope_id: notice.envelopeId,
        state: notice.state,
        server_answer: notice.serverAnswer,
        created_at: notice.createdAt.toISOString(),
        sent_at: notice.sentAt?.toISOString() ?? null,
      };
    afterId = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return;
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
