import type { Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import type { TestBrowser } from "../../apps/server/testing/browser.ts";
import { createDraft, ENVELOPES, type EnvelopeValues } from "../../apps/server/testing/envelope.ts";
import { openMailedGuest, type TestGuest } from "../../apps/server/testing/guest.ts";
import { makePng } from "../../apps/server/testing/images.ts";
import { createMember, type Member, signIn } from "../../apps/server/testing/member.ts";
import { openSoftHsm, SOFT_HSM_MISSING, type SoftHsm } from "../../apps/server/testing/soft-hsm.ts";
import { type Hsm, openHsm } from "../../apps/server/src/platform/hsm/hsm.ts";
import { LIFE } from "../../packages/pades/interop/signing-rounds.ts";
import {
  missingValidators,
  NO_COMPLAINT,
  openValidators,
  type ServiceFile,
  type Validators,
} from "./open-validators.ts";
import { DRAWN } from "./story.ts";

export type Person = { readonly full_name: string; readonly email: string };
export const PEOPLE = ["Côme Œuvrard", "Maëlys N'Guessan", "Jørgen Đặng", "Anne-Sophie d’Été"].map(
  (full_name, index) => ({
    full_name,
    email: `personne${index + 1}@exemple.fr`,
  }),
);
export const [COME, MAELYS, JORGEN, ANNE] = PEOPLE as [Person, Person, Person, Person];

export const DRAWN_MARK = DRAWN;
export const TYPED_MARK = { kind: "typed", text: "Maëlys N’Guessan", font: "la-belle-aurore" };
export const UPLOADED_MARK = {
  kind: "uploaded",
  image: `data:image/png;base64,${Buffer.from(makePng(300, 120)).toString("base64")}`,
};
export const MARKS: readonly object[] = [DRAWN_MARK, TYPED_MARK, UPLOADED_MARK];

/** The composed service, its sender signed in, and other makers' validators. */
export type ServiceStage = {
  service: TestApp;
  member: Member;
  sender: TestBrowser;
  validators: Validators;
};

/** Stage of the file's tests; not made where a validator is missing. */
export function useServiceStage(): ServiceStage {
  const stage: Partial<ServiceStage> = {};
  const missing = missingValidators();
  let token: SoftHsm | null = null;
  let hsm: Hsm | null = null;
  beforeAll(async () => {
    if (missing) return;
    stage.validators = openValidators();
    token = SOFT_HSM_MISSING === null ? await openSoftHsm() : null;
    hsm = token === null ? null : await openHsm(token.settings);
    // Files archived by others that day are uploaded an hour later.
    stage.service = await createTestApp({
      settings: { rateLimits: "off" },
      now: new Date(LIFE.archived.getTime() + 3_600_000),
      platform: { hsm },
    });
    stage.member = await createMember(stage.service.platform);
  }, 60_000);
  // The clock moves from test to test, and a session with it.
  beforeEach(async () => {
    if (!missing) stage.sender = await signIn(stage.service as TestApp, stage.member as Member);
  });
  afterAll(async () => {
    if (missing) return;
    stage.validators?.close();
    await stage.service?.close();
    hsm?.close();
    await token?.close();
  });
  return stage as ServiceStage;
}

/** A moment at which the OCSP answer for the last time-stamp is fresh, as pyHanko asks. */
export const later = ({ service }: ServiceStage): Date =>
  new Date(service.platform.clock().getTime() + 30 * 60_000);
export const rootOf = async ({ service }: ServiceStage): Promise<Uint8Array> =>
  new Uint8Array((await service.app.inject("/pki/root.crt")).rawPayload);

export async function filesOf(
  stage: ServiceStage,
  envelope: Envelope,
  expected: Partial<ServiceFile> & Pick<ServiceFile, "signatures">,
): Promise<readonly ServiceFile[]> {
  const read = (await stage.sender.get(`${ENVELOPES}${envelope.id}/`)).body as Envelope;
  expect([read.status, read.level]).toEqual(["completed", "B-LTA"]);
  const root = await rootOf(stage);
  return Promise.all(
    read.documents.map(async ({ id }, index) => ({
      name: `${envelope.id}-${index}-${expected.timestamps ?? 1}`,
      pdf: (await stage.sender.get(`${ENVELOPES}${envelope.id}/documents/${id}/file/`)).bytes,
      prefix: envelope.id,
      timestamps: 1,
      anchors: [root],
      at: later(stage),
      ...expected,
    })),
  );
}

export async function expectNoComplaint(
  { validators }: ServiceStage,
  files: readonly ServiceFile[],
): Promise<void> {
  for (const file of files)
    expect(await validators.complaintsAbout(file), file.name).toEqual(NO_COMPLAINT);
}

export const bytesOf = (
  { sender }: ServiceStage,
  envelope: Envelope,
  document: string,
): Promise<Uint8Array> =>
  sender.get(`${ENVELOPES}${envelope.id}/documents/${document}/file/`).then(({ bytes }) => bytes);

export async function send(
  { service, sender }: ServiceStage,
  values: EnvelopeValues,
): Promise<{ envelope: Envelope; guests: TestGuest[] }> {
  const draft = await createDraft(sender, values);
  const fixable = draft.documents
    .filter(({ control }) => control.result === "fixable")
    .map(({ id }) => id);
  if (fixable.length > 0) {
    const accepted = await sender.send("PATCH", `${ENVELOPES}${draft.id}/`, {
      body: { accept_normalised: fixable },
    });
    expect(accepted.status, accepted.text).toBe(200);
  }
  const sent = await sender.post(`${ENVELOPES}${draft.id}/send/`);
  expect(sent.status, sent.text).toBe(200);
  const guests: TestGuest[] = [];
  for (const { email } of draft.recipients.filter(({ role }) => role !== "viewer")) {
    const guest = await openMailedGuest(service, draft.id, email);
    await guest.confirm();
    guests.push(guest);
  }
  return { envelope: sent.body, guests };
}

/** Fills texts and boxes, copies mentions, and signs. */
export async function sign(
  envelope: Envelope,
  {
    guest,
    person,
    mark,
    initials,
  }: { guest: TestGuest; person: Person; mark: object; initials?: object | undefined },
  call = "sign/",
) {
  const recipient = envelope.recipients.find(({ email }) => email === person.email)?.id;
  const fields = envelope.fields
    .filter(
      (field) =>
        field.recipient_id === recipient && ["text", "checkbox", "mention"].includes(field.type),
    )
    .map(({ id, type, value }) => ({
      id,
      value:
        type === "mention"
          ? value
          : type === "text"
            ? `Lu et approuvé par ${person.full_name}, « bon pour accord »`
            : "Oui",
    }));
  const answer = await guest.post(call, { fields, signature: mark, initials, consent: true });
  expect([200, 202], answer.text).toContain(answer.status);
}

/** They sign a minute apart, each with another kind of mark, every second one with own initials. */
export async function complete(
  stage: ServiceStage,
  people: readonly Person[],
  values: EnvelopeValues = {},
): Promise<Envelope> {
  const { envelope, guests } = await send(stage, { recipients: people, ...values });
  for (const [index, guest] of guests.entries()) {
    const [mark, other] = [0, 1].map((step) => MARKS[(index + step) % MARKS.length] as object);
    await sign(envelope, {
      guest,
      person: people[index] as Person,
      mark: mark as object,
      initials: index % 2 === 1 ? other : undefined,
    });
    stage.service.platform.clock.advance({ minutes: 1 });
  }
  await stage.service.settle({ deferred: "run" });
  return envelope;
}
