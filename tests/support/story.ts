import { type ApiAnswer, type ApiClient, createApiClient } from "./api-client.ts";
import { makeContract } from "./make-contract.ts";
import { readLocalMailbox } from "./read-local-mailbox.ts";
import { codeIn, isCode, linkIn, type MailReader } from "./start-mail-server.ts";

/** Steps of the main job by the public API. Errors: throws an unexpected answer. */
export type Person = {
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
};
export type Guest = { readonly email: string; readonly full_name: string };
export type World = { readonly url: string; readonly mails: Pick<MailReader, "waitFor"> };

export const PASSWORD = "Plume-et-encrier-1852";
const API = "/api/signature";

export function expectStatus(answer: ApiAnswer, status: number, what: string): ApiAnswer {
  if (answer.status !== status) {
    const said = new TextDecoder().decode(answer.bytes.subarray(0, 2_000));
    throw new Error(`${what}: ${status} expected, ${answer.status} met: ${said}`);
  }
  return answer;
}

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

export async function registerPerson({ url, mails }: World, person: Person): Promise<void> {
  const client = createApiClient(url);
  await client.get("/api/verify-token/");
  const form = formOf({
    username: person.username,
    email: person.email,
    password: PASSWORD,
    first_name: person.firstName,
    last_name: person.lastName,
    birth_date: "1984-02-29",
  });
  expectStatus(await client.post(`${API}/register/`, { form }), 201, "register");
  const mail = await mails.waitFor(person.email, ({ text }) => text.includes("/activate/"));
  const activated = expectStatus(
    await client.get(linkIn(mail, /\/activate\//).pathname),
    302,
    "activation link",
  );
  if (!activated.headers.location?.endsWith("/login?activated=1"))
    throw new Error(`activation led to ${activated.headers.location}`);
  client.close();
}

export async function logIn(
  url: string,
  username: string,
  password: string = PASSWORD,
): Promise<ApiClient> {
  const client = createApiClient(url);
  await client.get("/api/verify-token/");
  expectStatus(
    await client.post("/api/token/", { json: { username, password, remember_me: false } }),
    200,
    "login",
  );
  return client;
}

/** Registers and signs in a person of a service without a mail server. */
export async function signUp(url: string, person: Person): Promise<ApiClient> {
  await registerPerson({ url, mails: readLocalMailbox(url) }, person);
  return logIn(url, person.username);
}

export type EnvelopeDraft = {
  readonly title: string;
  readonly pdf: Uint8Array;
  /** Second file, « annexe.pdf ». */
  readonly annex?: Uint8Array;
  readonly guests: readonly Guest[];
  readonly flow?: "parallel" | "sequential";
  readonly deadlineAt?: string;
  /** Page of the signatures; 2 by default. */
  readonly lastPage?: number;
  /** Left out: the fields of a usual contract. */
  readonly fields?: readonly object[];
};

/** Signature and date on the last page; the first guest has a text and a name on page 1. */
function fieldsFor({ guests, lastPage = 2 }: EnvelopeDraft): object[] {
  const place = (type: string, recipient: number, box: object) => ({
    type,
    recipient_index: recipient,
    document_index: 0,
    ...box,
  });
  return guests.flatMap((_, index) => [
    place("signature", index, {
      page: lastPage,
      x: 0.08 + 0.46 * (index % 2),
      y: 0.55 + 0.12 * Math.floor(index / 2),
      width: 0.36,
      height: 0.09,
    }),
    place("date", index, {
      page: lastPage,
      x: 0.08 + 0.46 * (index % 2),
      y: 0.5,
      width: 0.2,
      height: 0.03,
    }),
    ...(index === 0
      ? [
          place("text", 0, {
            page: 1,
            x: 0.1,
            y: 0.6,
            width: 0.4,
            height: 0.03,
            label: "Fait à",
            required: false,
          }),
          place("name", 0, { page: 1, x: 0.1, y: 0.65, width: 0.4, height: 0.03 }),
        ]
      : []),
  ]);
}

export function envelopeForm(draft: EnvelopeDraft): FormData {
  const form = formOf({
    title: draft.title,
    flow: draft.flow ?? "parallel",
    recipients: JSON.stringify(draft.guests),
    fields: JSON.stringify(draft.fields ?? fieldsFor(draft)),
    ...(draft.deadlineAt ? { deadline_at: draft.deadlineAt } : {}),
  });
  const add = (pdf: Uint8Array, name: string) =>
    form.append(
      "files",
      new File([pdf as Uint8Array<ArrayBuffer>], name, { type: "application/pdf" }),
    );
  add(draft.pdf, "contrat de prestation.pdf");
  if (draft.annex) add(draft.annex, "annexe.pdf");
  return form;
}

export async function createEnvelope(
  sender: ApiClient,
  draft: EnvelopeDraft,
): Promise<ApiAnswer["json"]> {
  return expectStatus(
    await sender.post(`${API}/envelopes/`, { form: envelopeForm(draft) }),
    201,
    "create",
  ).json;
}

export async function sendEnvelope(sender: ApiClient, id: string): Promise<ApiAnswer["json"]> {
  return expectStatus(await sender.post(`${API}/envelopes/${id}/send/`, { json: {} }), 200, "send")
    .json;
}

/** Creates and sends a contract; gives its id. */
export async function sendContract(
  sender: ApiClient,
  title: string,
  guests: readonly Guest[],
  more: Partial<EnvelopeDraft> = {},
): Promise<string> {
  const draft = { title, pdf: await makeContract(title), guests, ...more };
  const { id } = await createEnvelope(sender, draft);
  await sendEnvelope(sender, id);
  return id;
}

export const cancelEnvelope = async (sender: ApiClient, id: string) =>
  expectStatus(await sender.post(`${API}/envelopes/${id}/cancel/`), 200, "cancel");

export async function makePrintOf(sender: ApiClient, envelope: string, kind: "page" | "last") {
  const json = { envelope, qr_type: kind };
  return expectStatus(await sender.post(`${API}/prints/generate/`, { json }), 201, "print").json;
}

export async function postSelfSign(sender: ApiClient, name: string): Promise<ApiAnswer> {
  const form = formOf({ signature: JSON.stringify(typed(name)) });
  const pdf = new Blob([new Uint8Array(await makeContract("1"))], { type: "application/pdf" });
  form.append("file", pdf, "contrat.pdf");
  return sender.post(`${API}/self-sign/`, { form });
}
/** Signs a contract alone; gives its envelope. */
export const selfSign = async (sender: ApiClient, name: string): Promise<string> =>
  expectStatus(await postSelfSign(sender, name), 201, "self-sign").json.id;

/** Signs `count` different files at once; gives the batch. */
export async function signBatch(
  sender: ApiClient,
  pdf: Uint8Array,
  count: number,
): Promise<string> {
  const form = formOf({
    placement: JSON.stringify({ page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 }),
    signature: JSON.stringify(DRAWN),
  });
  for (let index = 0; index < count; index += 1) {
    const file = new Blob([pdf as Uint8Array<ArrayBuffer>, `%${index}-${performance.now()}\n`]);
    form.append("files", file, `Attestation ${index}.pdf`);
  }
  return expectStatus(await sender.post(`${API}/batch-sign/`, { form }), 202, "batch").json.id;
}

export type GuestVisit = {
  readonly client: ApiClient;
  readonly path: string;
  readonly token: string;
  readonly email: string;
};

export async function openInvitation(
  { url, mails }: World,
  guest: Guest,
  envelopeId: string,
): Promise<GuestVisit> {
  const mail = await mails.waitFor(guest.email, ({ text }) => text.includes(`/sign/${envelopeId}`));
  const link = linkIn(mail, /\/sign\//);
  const token = link.searchParams.get("token") ?? "";
  return {
    client: createApiClient(url, token),
    path: `${API}/envelopes/${envelopeId}`,
    token,
    email: guest.email,
  };
}

/** Binds the invitation to this person's account. */
export async function confirmAddress(
  world: World,
  person: Pick<Person, "username" | "email">,
  envelopeId: string,
): Promise<void> {
  const { token, client: guest } = await openInvitation(
    world,
    { email: person.email, full_name: "" },
    envelopeId,
  );
  guest.close();
  const client = await logIn(world.url, person.username);
  expectStatus(
    await client.post(`${API}/envelopes/${envelopeId}/confirm-address/`, { json: { token } }),
    204,
    "confirm-address",
  );
  client.close();
}

export async function receiveCode({ mails }: World, visit: GuestVisit): Promise<string> {
  expectStatus(await visit.client.post(`${visit.path}/send_otp/`, { json: {} }), 200, "send_otp");
  return codeIn(await mails.waitFor(visit.email, isCode));
}

export async function confirmGuest(world: World, visit: GuestVisit): Promise<void> {
  const otp = await receiveCode(world, visit);
  expectStatus(
    await visit.client.post(`${visit.path}/verify_otp/`, { json: { otp } }),
    200,
    "verify_otp",
  );
}

/** Two strokes with pressure, in units of the pad's height. */
export const DRAWN = {
  kind: "drawn",
  strokes: [
    Array.from({ length: 40 }, (_, index) => [
      0.2 + index * 0.05,
      0.5 + 0.35 * Math.sin(index / 4),
      0.3 + 0.4 * Math.abs(Math.sin(index / 7)),
    ]),
    Array.from({ length: 12 }, (_, index) => [0.4 + index * 0.12, 0.85 - index * 0.01, 0.5]),
  ],
} as const;

export function typed(name: string) {
  return { kind: "typed", text: name, font: "caveat" } as const;
}

const VALUES: Readonly<Record<string, string>> = {
  text: "Lyon, le chêne",
  date: "2026-11-21",
  name: "",
};

/** Signs, own fields filled. Gives the last answer, once sealed. */
export async function signAsGuest(visit: GuestVisit, signature: object): Promise<ApiAnswer> {
  const shown = expectStatus(await visit.client.get(`${visit.path}/guest/`), 200, "guest").json;
  const fields = shown.fields
    .filter(({ own, type }: { own: boolean; type: string }) => own && type in VALUES)
    .map(({ id, type }: { id: string; type: string }) => ({
      id,
      value: type === "name" ? shown.recipient.full_name : VALUES[type],
    }));
  const answer = await visit.client.post(`${visit.path}/sign/`, {
    json: { fields, signature, consent: true },
  });
  if (answer.status !== 200 && answer.status !== 202) expectStatus(answer, 200, "sign");
  if (answer.status === 202) await waitUntilSealed(visit);
  return answer;
}

async function waitUntilSealed(visit: GuestVisit): Promise<void> {
  const until = Date.now() + 30_000;
  while (Date.now() < until) {
    const { recipient } = expectStatus(
      await visit.client.get(`${visit.path}/guest/`),
      200,
      "guest",
    ).json;
    if (recipient.status === "signed") return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("not sealed within 30 s");
}

/** The whole way of a guest, from the invitation to the seal. */
export async function signInvitation(
  world: World,
  guest: Guest,
  id: string,
  mark: object = DRAWN,
): Promise<void> {
  const visit = await openInvitation(world, guest, id);
  await confirmGuest(world, visit);
  await signAsGuest(visit, mark);
  visit.client.close();
}
