import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import { createSent, PAUL } from "../../apps/server/testing/envelope.ts";
import { signAsGuest } from "../../apps/server/testing/guest.ts";
import { createMember, signIn } from "../../apps/server/testing/member.ts";
import { storageFolder } from "../../apps/server/testing/stored-file.ts";
import { createTransparency } from "../../apps/server/src/features/journal/public.ts";
import { createTrust } from "../../apps/server/src/features/trust/public.ts";
import { type AuditAnswer, runAudit } from "../../apps/cli/src/audit/run-audit.ts";

/** One completed envelope (two checkpoints), one sent (none), and damage as a superuser. */
export type AuditStage = {
  readonly service: TestApp;
  /** Copies of the checkpoints. */
  readonly copies: string;
  readonly documentId: string;
  readonly envelopeIds: { readonly signed: string; readonly other: string };
  readonly filePath: string;
  checkpoint(): Promise<void>;
  /**
   * Audits inside a transaction after `harm`, without triggers, never committed. `:signed`,
   * `:other` and `:document` are ids.
   */
  auditAfter(harm: readonly string[], words?: readonly string[]): Promise<AuditAnswer>;
  close(): Promise<void>;
};

export const compiled = (text: string) => ({ sql: text, parameters: [], query: {} }) as never;

export async function openAuditStage(): Promise<AuditStage> {
  const copies = await mkdtemp(join(tmpdir(), "paraphe-copies-"));
  const service = await createTestApp({ settings: { rateLimits: "off" } });
  const settings = { ...service.platform.settings, checkpointDir: copies };
  const checkpoint = async () => {
    const transparency = createTransparency({
      platform: { ...service.platform, settings },
      trust: await createTrust(service.platform),
    });
    await transparency.checkpoint();
    await transparency.copy();
  };
  const anne = await signIn(service, await createMember(service.platform));
  const sent = await createSent(anne, { recipients: [PAUL] });
  await checkpoint();
  await signAsGuest(service, sent.id, PAUL.email);
  await service.settle({ deferred: "run" });
  await checkpoint();
  const envelopeIds = {
    signed: sent.id,
    other: (await createSent(anne, { recipients: [PAUL] })).id,
  };
  const documentId = sent.documents[0]?.id ?? "";
  const { rows } = await service.platform.owner.executeQuery<{ name: string }>(
    compiled(`select encode(r.blob_sha256, 'hex') as name from document_revisions r join documents d on d.id = r.document_id
      and d.current_revision = r.number where d.id = '${documentId}'`),
  );
  const name = rows[0]?.name ?? "";
  return {
    service,
    copies,
    documentId,
    envelopeIds,
    filePath: join(storageFolder(settings), name.slice(0, 2), name.slice(2, 4), name),
    checkpoint,
    async auditAfter(harm, words = []) {
      const trx = await service.platform.owner.startTransaction().execute();
      try {
        await trx.executeQuery(compiled("set local session_replication_role = replica"));
        for (const statement of harm) {
          const text = statement
            .replaceAll(":signed", `'${envelopeIds.signed}'`)
            .replaceAll(":other", `'${envelopeIds.other}'`)
            .replaceAll(":document", `'${documentId}'`);
          await trx.executeQuery(compiled(text));
        }
        return await runAudit({ ...service.platform, db: trx as never }, ["check", ...words]);
      } finally {
        await trx.rollback().execute();
      }
    },
    async close() {
      await service.close();
      await rm(copies, { recursive: true, force: true });
    },
  };
}
