import { createTestApp } from "../app.ts";
import type { TestBrowser } from "../browser.ts";
import { wholeTables } from "../database.ts";
import { PAUL, createSent, recordTestSignature } from "../envelope.ts";
import { MEMBER_PASSWORD, type Member, createMember, signIn } from "../member.ts";
import { makePdf } from "../pdf.ts";

export const ME = "/api/signature/me/";
export type ErasureStage = Awaited<ReturnType<typeof openErasureStage>>;

export async function openErasureStage() {
  const service = await createTestApp({ settings: { rateLimits: "off" } });
  let tag = 0;
  const someone = () => ({ ...PAUL, email: `paul.${++tag}@exemple.fr` });
  const erase = (browser: TestBrowser, body: object = { password: MEMBER_PASSWORD }) =>
    browser.send("DELETE", ME, { body });
  const rowsOf = (envelopeId: string) =>
    service.platform.db
      .selectFrom("envelopes")
      .selectAll()
      .where("id", "=", envelopeId)
      .executeTakeFirstOrThrow();

  /** Unique: a file shared by two envelopes stays for the other. */
  const ownPdf = () => makePdf({ text: `Bail ${++tag}` });

  async function newcomer(): Promise<{ member: Member; browser: TestBrowser }> {
    const member = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
    return { member, browser: await signIn(service, member) };
  }

  async function completedOf(browser: TestBrowser, values: Parameters<typeof createSent>[1] = {}) {
    const envelope = await createSent(browser, { recipients: [someone()], ...values });
    for (const recipient of envelope.recipients)
      await recordTestSignature(service.platform, envelope.id, recipient.id);
    await service.settle();
    return envelope;
  }

  /** Every text of every table, without the local mailbox and waiting jobs. */
  async function everything(): Promise<string> {
    const { db } = service.platform;
    const texts: string[] = [];
    for (const name of (await wholeTables(db)).filter((table) => table !== "mailbox_messages"))
      texts.push(
        JSON.stringify(
          await db
            .selectFrom(name as "users")
            .selectAll()
            .execute(),
        ),
      );
    return texts.join("\n");
  }
  return {
    service,
    someone,
    erase,
    rowsOf,
    ownPdf,
    newcomer,
    completedOf,
    everything,
    close: () => service.close(),
  };
}
