import type { Envelope } from "@paraphe/contracts";
import {
  type Circuit,
  circuitFaults,
  circuitSentence,
  type CircuitStep,
} from "@paraphe/contracts/circuit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectRefusal, expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import type { TestBrowser } from "../../../../testing/browser.ts";
import { createDraft, ENVELOPES, eventsOf, fieldAt, PAUL } from "../../../../testing/envelope.ts";
import { openConfirmedGuest } from "../../../../testing/guest.ts";
import { mailFor } from "../../../../testing/mailbox.ts";
import { type Member, openMember, signIn } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { remindDue } from "../reminders.ts";

const CIRCUITS = "/api/organisation/circuits/";
let service: TestApp;
let leader: Member;
let administrator: TestBrowser;
let member: TestBrowser;
let clerk: Awaited<ReturnType<typeof createMemberAs>>;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  leader = await createMemberAs(service.platform, "administrator");
  administrator = await signIn(service, leader);
  clerk = await createMemberAs(service.platform, "member");
  member = await signIn(service, clerk);
});
afterAll(() => service.close());

const MAYOR = { who: "person", email: "maire@ville.fr", full_name: "Camille Roux" } as const;
const step = (
  kind: CircuitStep["kind"],
  by: CircuitStep["by"],
  rest: Partial<CircuitStep> = {},
): CircuitStep => ({
  kind,
  by,
  together: false,
  may_return: true,
  may_reassign: true,
  days: null,
  remind: null,
  ...rest,
});
const STEPS = [
  step("visa", { who: "administrator" }, { may_reassign: false }),
  step("signature", MAYOR),
  step("signature", { who: "other_party" }),
  step("copy", { who: "person", email: "archives@ville.fr", full_name: "les Archives" }),
];
const CONVENTIONS = { name: "Conventions", use: "imposed", kinds: ["Convention"], steps: STEPS };
const add = (body: object) => administrator.post(CIRCUITS, body);
const listed = async (browser = administrator): Promise<readonly Circuit[]> =>
  (await browser.get(CIRCUITS)).body.circuits;
const choose = (browser: TestBrowser, envelope: Envelope, body: object) =>
  browser.send("PUT", `${ENVELOPES}${envelope.id}/circuit/`, { body });
const shape = ({ recipients }: Envelope) =>
  recipients.map(({ order, role, email }) => `${order} ${role} ${email}`);

it("one sentence describes a circuit, and its faults name their step", () => {
  expect(circuitSentence(STEPS)).toBe(
    "Un administrateur vise, puis Camille Roux signe, puis l’autre partie signe\u202f; les Archives reçoit copie.",
  );
  expect(circuitSentence([STEPS[1], { ...STEPS[2], together: true }] as CircuitStep[])).toBe(
    "Camille Roux et l’autre partie signent.",
  );
  const nobody = step("signature", { ...MAYOR, email: "" });
  const faults = [STEPS[3], nobody, STEPS[0]] as CircuitStep[];
  expect(circuitFaults(faults).map(({ text }) => text)).toEqual([
    "Étape 1\u00a0: une copie vient après la dernière signature.",
    "Étape 2\u00a0: choisissez qui signe.",
    "Étape 3\u00a0: un visa vient avant une signature.",
  ]);
  expect(circuitFaults([STEPS[0]] as CircuitStep[])[0]).toMatchObject({ step: null });
});

it("administrators manage the circuits, members choose among them, others see none", async () => {
  await expectStatus(add(CONVENTIONS), 200);
  const [circuit] = await listed(member);
  expect(circuit).toMatchObject({ ...CONVENTIONS, version: 1, running: 0 });
  await expectRefusal(member.post(CIRCUITS, CONVENTIONS), 403, "administrators_only");
  const stranger = await openMember(service);
  await expectRefusal(stranger.get(CIRCUITS), 403, "members_only");

  const twice = await add({ ...CONVENTIONS, name: "conventions" });
  expect([twice.status, Object.keys(twice.body.errors).sort()]).toEqual([400, ["kinds", "name"]]);
  const nameless = { ...CONVENTIONS, name: "Essai sans genre", kinds: [] };
  expect((await add(nameless)).body.errors).toEqual({
    kinds: ["Indiquez au moins un genre de document"],
  });
  const address = `${CIRCUITS}${circuit?.id}/`;
  const edit = (version: number) =>
    administrator.send("PUT", address, { body: { ...CONVENTIONS, name: "Marchés", version } });
  await expectStatus(edit(1), 200);
  await expectRefusal(edit(1), 409, "organisation_changed");
  await expectStatus(administrator.send("DELETE", address), 200);
  expect(await listed()).toEqual([]);
  const journal = await administrator.get("/api/organisation/journal/");
  for (const said of ["«\u00a0Conventions\u00a0» créé", "«\u00a0Marchés\u00a0» modifié"])
    expect(journal.text).toContain(`Circuit ${said}`);
  expect(journal.text).toContain("Circuit «\u00a0Marchés\u00a0» supprimé");
  expect(journal.text).not.toContain("Essai sans genre");
});

it("an imposed circuit makes the recipients of its kind, and is followed to the sending", async () => {
  await expectStatus(add(CONVENTIONS), 200);
  const draft = await createDraft(member, { recipients: [PAUL], fields: [] });
  await expectRefusal(
    choose(await openMember(service), draft, { kind: "Convention", circuit_id: null }),
    404,
    "not_found",
  );
  const answer = await choose(member, draft, { kind: "Convention", circuit_id: null });
  const chosen: Envelope = answer.body;
  expect([answer.status, chosen.flow, chosen.circuit, chosen.document_kind]).toEqual([
    200,
    "sequential",
    { name: "Conventions", imposed: true, open: [3] },
    "Convention",
  ]);
  expect(shape(chosen)).toEqual([
    `1 visa ${leader.email}`,
    "2 signer maire@ville.fr",
    `3 signer ${PAUL.email}`,
    "4 viewer archives@ville.fr",
  ]);
  // Choosing the circuit again leaves the other party in place.
  const again = await choose(member, draft, { kind: "Convention", circuit_id: null });
  expect(shape(again.body)).toEqual(shape(chosen));

  const rows = chosen.recipients.map(({ id, email, full_name, role, order }) => ({
    id,
    email,
    full_name,
    role,
    order,
  }));
  const address = `${ENVELOPES}${draft.id}/`;
  const save = (recipients: readonly object[]) =>
    expectStatus(member.send("PATCH", address, { body: { recipients } }), 200);
  await save(rows.slice(1));
  const refused = await member.post(`${address}send/`, {});
  expect(refused.body.detail).toMatch(
    /Étape 1 \(visa\)\u00a0: .* manque\. Appliquez de nouveau le circuit «\u00a0Conventions\u00a0»/,
  );
  const params = { name: "send_envelope", arguments: { id: draft.id } };
  const key = { name: "Assistant", scopes: ["envelopes:read", "envelopes:send"], days: null };
  const { secret } = (await member.post("/api/signature/me/keys/", key)).body;
  const answered = await service.app.inject({
    method: "POST",
    url: "/api/mcp/",
    headers: { authorization: `Bearer ${secret}` },
    payload: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  });
  const { result } = answered.json();
  expect([result.isError, result.content[0].text]).toEqual([
    true,
    expect.stringMatching(/Appliquez de nouveau le circuit .*\(not_ready_to_send\)$/),
  ]);
  const fresh = rows.map(({ id: _id, ...row }) => row);
  for (const other of [
    fresh.map((row) => (row.email === PAUL.email ? row : { ...row, full_name: "Jean Faux" })),
    fresh.map((row) => (row.role === "viewer" ? { ...row, email: "ailleurs@ville.fr" } : row)),
    [...fresh, { email: "presse@ville.fr", full_name: "Presse", role: "viewer", order: 4 }],
    [...fresh, { email: "autre@ville.fr", full_name: "Autre", role: "signer", order: 2 }],
  ]) {
    await save(other);
    await expectRefusal(member.post(`${address}send/`, {}), 409, "not_ready_to_send");
  }
  // A removed row comes back as a new one.
  await save(fresh);
  await expectStatus(member.post(`${address}send/`, {}), 200);
  expect((await listed())[0]?.running).toBe(1);
  await expectRefusal(
    choose(member, draft, { kind: null, circuit_id: null }),
    409,
    "invalid_state",
  );

  // The organisation's people stay, the other party may be corrected.
  const correct = (email: string, change: object) => {
    const row = sent.recipients.find((one: Envelope["recipients"][number]) => one.email === email);
    return member.send("PATCH", `${address}recipients/${row?.id}/`, { body: change });
  };
  const sent: Envelope = (await member.get(address)).body;
  await expectRefusal(correct("maire@ville.fr", { email: "ami@exemple.fr" }), 409, "step_imposed");
  await expectStatus(correct(PAUL.email, { full_name: "Paul Moreau" }), 200);

  // A change of the circuit never touches running envelopes.
  const [circuit] = await listed();
  const changed = { ...CONVENTIONS, steps: STEPS.slice(1, 2), version: circuit?.version };
  await expectStatus(
    administrator.send("PUT", `${CIRCUITS}${circuit?.id}/`, { body: changed }),
    200,
  );
  const guest = await openConfirmedGuest(service, draft.id, leader.email);
  expect((await guest.get("guest/")).body.step).toEqual({
    returns: [{ order: 0, role: "preparer", names: [draft.created_by_name] }],
    may_reassign: false,
  });
  await expectRefusal(
    guest.post("reassign/", { email: "a@b.fr", full_name: "A B" }),
    403,
    "not_allowed",
  );
});

it("a draft is not sent without the circuit imposed on its kind, nor with an outdated one", async () => {
  await expectStatus(add({ ...CONVENTIONS, name: "Avenants", kinds: ["Avenant"] }), 200);
  const circuit = (await listed()).find(({ name }) => name === "Avenants");
  const at = `${CIRCUITS}${circuit?.id}/`;
  const draft = await createDraft(member, { recipients: [PAUL], fields: [] });
  const address = `${ENVELOPES}${draft.id}/`;
  const patch = (body: object) => member.send("PATCH", address, { body });
  const sending = async () => {
    const answer = await member.post(`${address}send/`, {});
    expect(answer.status, answer.text).toBe(409);
    return answer.body.detail;
  };
  const kept = await patch({ document_kind: "avenant" });
  expect([kept.body.document_kind, kept.body.circuit]).toEqual(["avenant", undefined]);
  expect(await sending()).toContain("appliquez le circuit «\u00a0Avenants\u00a0»");

  const choice = { kind: "Avenant", circuit_id: null };
  await expectStatus(choose(member, draft, choice), 200);
  const steps = [
    step("visa", { ...MAYOR, email: "dgs@ville.fr", full_name: "Anne Petit" }),
    ...STEPS,
  ];
  const change = { ...CONVENTIONS, name: "Avenants", kinds: ["Avenant"], steps };
  await expectStatus(administrator.send("PUT", at, { body: { ...change, version: 1 } }), 200);
  const released: Envelope = (await member.get(address)).body;
  expect([released.circuit?.imposed, released.recipients.length]).toEqual([false, 4]);
  expect(await sending()).toContain("le circuit y prévoit");
  expect((await choose(member, draft, choice)).body.recipients).toHaveLength(5);

  const other = await patch({ document_kind: null });
  expect([other.body.document_kind, other.body.circuit.imposed]).toEqual([undefined, false]);
  await expectStatus(choose(member, draft, choice), 200);
  await expectStatus(administrator.send("DELETE", at), 200);
  expect((await member.get(address)).body.circuit.imposed).toBe(false);
  await expectStatus(member.post(`${address}send/`, {}), 200);
});

it("a kind is the same with other spaces, accents, capitals and apostrophes", async () => {
  const named = { ...CONVENTIONS, name: "Marchés", kinds: ["Marché d’été"] };
  await expectStatus(add(named), 200);
  const twice = await add({ ...named, name: "Autres", kinds: ["marche  d'ete"] });
  expect(Object.keys(twice.body.errors)).toEqual(["kinds"]);
  for (const document_kind of ["MARCHÉ\u00a0d’été", "marche  d'ete"]) {
    const draft = await createDraft(member, { recipients: [PAUL], fields: [], document_kind });
    await expectRefusal(member.post(`${ENVELOPES}${draft.id}/send/`, {}), 409, "not_ready_to_send");
  }
});

it("a free circuit is told while each of its steps has a recipient", async () => {
  const steps = [step("visa", { who: "administrator" }), step("signature", { who: "other_party" })];
  await expectStatus(add({ name: "Locations", use: "free", kinds: [], steps }), 200);
  const id = (await listed()).find(({ name }) => name === "Locations")?.id ?? "";
  const sendWith = async (change: (rows: readonly object[]) => readonly object[]) => {
    const draft = await createDraft(member, { recipients: [PAUL], fields: [] });
    const chosen = await choose(member, draft, { kind: null, circuit_id: id });
    const rows = chosen.body.recipients.map(
      ({ id, email, full_name, role, order }: Envelope["recipients"][number]) => ({
        id,
        email,
        full_name,
        role,
        order,
      }),
    );
    const body = { recipients: change(rows) };
    await expectStatus(member.send("PATCH", `${ENVELOPES}${draft.id}/`, { body }), 200);
    const sent = await member.post(`${ENVELOPES}${draft.id}/send/`, {});
    return sent.body.circuit?.name;
  };
  const copy = { email: "copie@ville.fr", full_name: "Léa Roy", role: "viewer", order: 3 };
  expect(await sendWith((rows) => [...rows, copy])).toBe("Locations");
  expect(await sendWith((rows) => rows.slice(1))).toBeUndefined();
});

it("the other party gets no field of who had a step at that rank", async () => {
  const [own, other] = [
    { name: "Actes", kinds: ["Acte"], steps: [step("signature", MAYOR)] },
    { name: "Contrats", kinds: ["Contrat"], steps: [step("signature", { who: "other_party" })] },
  ];
  for (const circuit of [own, other]) await expectStatus(add({ ...CONVENTIONS, ...circuit }), 200);
  const draft = await createDraft(member, { recipients: [], fields: [] });
  const chosen = await choose(member, draft, { kind: "Acte", circuit_id: null });
  const field = fieldOf(chosen.body, { id: chosen.body.recipients[0].id, y: 0.5 });
  await expectStatus(
    member.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { fields: [field] } }),
    200,
  );
  const other_party = [{ email: ZOE.email, full_name: ZOE.full_name }];
  const changed = await choose(member, draft, { kind: "Contrat", circuit_id: null, other_party });
  expect([shape(changed.body), changed.body.fields]).toEqual([[`1 signer ${ZOE.email}`], []]);
});

it("the other party may get a copy alone, or sign at the rank of somebody who is fixed", async () => {
  const party = { email: PAUL.email, full_name: PAUL.full_name };
  const send = async (kind: string, steps: readonly CircuitStep[]) => {
    await expectStatus(add({ ...CONVENTIONS, name: `De ${kind}`, kinds: [kind], steps }), 200);
    const draft = await createDraft(member, { recipients: [], fields: [] });
    const choice = { kind, circuit_id: null, other_party: [party] };
    await expectStatus(choose(member, draft, choice), 200);
    await expectStatus(member.post(`${ENVELOPES}${draft.id}/send/`, {}), 200);
    return (await member.get(`${ENVELOPES}${draft.id}/`)).body as Envelope;
  };
  const copied = await send("Avis", [
    step("signature", MAYOR),
    step("copy", { who: "other_party" }),
  ]);
  expect(shape(copied)).toEqual(["1 signer maire@ville.fr", `2 viewer ${PAUL.email}`]);
  const both = await send("Accord", [
    step("signature", MAYOR),
    step("signature", { who: "other_party" }, { together: true }),
  ]);
  const correct = (email: string) => {
    const row = both.recipients.find((one) => one.email === email);
    const body = { email: `autre.${email}` };
    return member.send("PATCH", `${ENVELOPES}${both.id}/recipients/${row?.id}/`, { body });
  };
  await expectRefusal(correct("maire@ville.fr"), 409, "step_imposed");
  await expectStatus(correct(PAUL.email), 200);
});

it("a cancelled draft loses a circuit that was deleted meanwhile", async () => {
  await expectStatus(add({ ...CONVENTIONS, name: "Legs", kinds: ["Legs"] }), 200);
  const circuit = (await listed()).find(({ name }) => name === "Legs");
  const draft = await createDraft(member, { recipients: [PAUL], fields: [] });
  const address = `${ENVELOPES}${draft.id}/`;
  await expectStatus(choose(member, draft, { kind: "Legs", circuit_id: null }), 200);
  await expectStatus(member.post(`${address}cancel/`, {}), 200);
  await expectStatus(administrator.send("DELETE", `${CIRCUITS}${circuit?.id}/`), 200);
  await expectStatus(member.post(`${address}restore/`, {}), 200);
  expect((await member.get(address)).body.circuit.imposed).toBe(false);
});

it("a document sent back to its sender keeps its kind, so its circuit", async () => {
  const steps = [STEPS[0], step("signature", { ...MAYOR, email: "elu@ville.fr" })];
  await expectStatus(add({ ...CONVENTIONS, name: "Décisions", kinds: ["Décision"], steps }), 200);
  const draft = await createDraft(member, { recipients: [], fields: [] });
  const address = `${ENVELOPES}${draft.id}/`;
  const applied = await choose(member, draft, { kind: "Décision", circuit_id: null });
  const field = fieldOf(applied.body, { id: applied.body.recipients[1].id, y: 0.5 });
  const text = { ...field, y: 0.7, type: "text", label: "Fonction", value: "Maire" };
  await expectStatus(member.send("PATCH", address, { body: { fields: [field, text] } }), 200);
  await expectStatus(member.post(`${address}send/`, {}), 200);
  const visa = await openConfirmedGuest(service, draft.id, leader.email);
  await expectStatus(visa.post("visa/"), 200);
  const mayor = await openConfirmedGuest(service, draft.id, "elu@ville.fr");
  const deputy = { email: "adjointe@ville.fr", full_name: "Ana Petit" };
  await expectStatus(mayor.post("reassign/", deputy), 204);
  service.platform.clock.advance({ minutes: 2 });
  [administrator, member] = [await signIn(service, leader), await signIn(service, clerk)];
  const guest = await openConfirmedGuest(service, draft.id, deputy.email);
  await expectStatus(guest.post("send-back/", { order: 0, reason: "Une page manque." }), 200);
  const used = (await member.get(address)).body.circuit.name;
  expect((await listed()).find(({ name }) => name === used)?.running).toBe(1);
  const other = await member.send("PATCH", address, { body: { document_kind: null } });
  expect([other.status, other.body.errors]).toEqual([
    400,
    { document_kind: ["Le genre d’un document renvoyé ne change plus"] },
  ]);
  const without = await choose(member, draft, { kind: null, circuit_id: null });
  expect([without.status, without.body.errors]).toEqual([400, other.body.errors]);
  const { recipients } = (await member.get(address)).body as Envelope;
  expect(recipients.map(({ email }) => email)).toContain("adjointe@ville.fr");
  const [first] = recipients;
  const rows = recipients.map(({ id, email, full_name, role, order }) =>
    id === first?.id
      ? { id, email, full_name: "Autre Nom", role, order }
      : { id, email, full_name, role, order },
  );
  await expectStatus(member.send("PATCH", address, { body: { recipients: rows } }), 200);
  await expectRefusal(member.post(`${address}send/`, {}), 409, "not_ready_to_send");
  const deputyId = recipients.find(({ email }) => email === deputy.email)?.id ?? "";
  const sessions = () =>
    service.platform.db
      .selectFrom("guest_sessions")
      .select("recipient_id")
      .where("recipient_id", "=", deputyId)
      .execute();
  expect(await sessions()).toHaveLength(1);
  const anew = await choose(member, draft, { kind: "Décision", circuit_id: null });
  expect(await sessions()).toEqual([]);
  expect([anew.body.recipients[1].email, anew.body.fields]).toEqual([
    "elu@ville.fr",
    [
      ["signature", null],
      ["text", "Maire"],
    ].map(([type, value]) =>
      expect.objectContaining({ type, value, recipient_id: anew.body.recipients[1].id }),
    ),
  ]);
  expect(anew.body.recipients[1]).not.toMatchObject({ sent_back: expect.anything() });
  expect(anew.body.recipients[1]).not.toMatchObject({ given_by: expect.anything() });
  const events = (await member.get(`${address}events/`)).body.results;
  expect(
    events.filter(({ action }: { action: string }) => action === "recipient_address_corrected"),
  ).toHaveLength(2);
  await expectStatus(member.post(`${address}send/`, {}), 200);
});

it("a colleague sends what somebody of the team prepared, whose step is « qui prépare »", async () => {
  const steps = [step("visa", { who: "preparer" }), step("signature", MAYOR)];
  await expectStatus(add({ ...CONVENTIONS, name: "Notes", kinds: ["Note"], steps }), 200);
  const [clerk, colleague] = [
    await createMemberAs(service.platform, "member"),
    await createMemberAs(service.platform, "member"),
  ];
  const browser = await signIn(service, clerk);
  const created = await administrator.post("/api/organisation/teams/", {
    name: "Voirie",
    members: [
      { id: clerk.id, is_administrator: true },
      { id: colleague.id, is_administrator: false },
    ],
  });
  const team = created.body.teams.find(({ name }: { name: string }) => name === "Voirie");
  const draft = await createDraft(browser, { recipients: [], fields: [] });
  const address = `${ENVELOPES}${draft.id}/`;
  await expectStatus(browser.send("PATCH", address, { body: { team: team.id } }), 200);
  await expectStatus(choose(browser, draft, { kind: "Note", circuit_id: null }), 200);
  await expectStatus((await signIn(service, colleague)).post(`${address}send/`, {}), 200);
});

it("a team's administrator, each of its members, and the preparer's team may have steps", async () => {
  const [chief, clerk, reader] = [
    await createMemberAs(service.platform, "member"),
    await createMemberAs(service.platform, "member"),
    await createMemberAs(service.platform, "reader"),
  ];
  const members = [
    { id: chief.id, is_administrator: true },
    { id: clerk.id, is_administrator: false },
    { id: reader.id, is_administrator: false },
  ];
  const created = await administrator.post("/api/organisation/teams/", {
    name: "Urbanisme",
    members,
  });
  const team = created.body.teams.find(({ name }: { name: string }) => name === "Urbanisme");
  const named = { id: team.id, name: team.name };
  const steps = [
    step("visa", { who: "team_administrator", team: null }, { days: 2, remind: "eve" }),
    step("signature", { who: "team_members", team: named }),
    step("copy", { who: "team_members", team: named }),
    step("copy", { who: "preparer" }, { together: true }),
  ];
  expect(circuitSentence(steps)).toBe(
    "Un administrateur de l’équipe de qui prépare vise sous 2 jours ouvrés, puis chaque membre de l’équipe Urbanisme signe\u202f; chaque membre de l’équipe Urbanisme et qui prépare reçoivent copie.",
  );
  const body = { ...CONVENTIONS, name: "Permis", use: "free", kinds: [], steps };
  const other = { id: service.platform.newId(), name: "Urbanisme" };
  const faulty = [step("signature", { who: "team_members", team: other })];
  const refused = await add({ ...body, steps: faulty });
  expect(refused.body.errors).toEqual({ "steps.0": ["choisissez une équipe."] });
  await expectStatus(add(body), 200);
  const circuit = (await listed()).find(({ name }) => name === "Permis");

  const clerkBrowser = await signIn(service, clerk);
  const draft = await createDraft(clerkBrowser, { recipients: [], fields: [] });
  const answer = await choose(clerkBrowser, draft, { kind: null, circuit_id: circuit?.id });
  const chosen: Envelope = answer.body;
  expect(answer.body.errors).toBeUndefined();
  // Whoever signs gets no second copy.
  expect(shape(chosen).toSorted()).toEqual(
    [
      `1 visa ${chief.email}`,
      `2 signer ${chief.email}`,
      `2 signer ${clerk.email}`,
      `3 viewer ${reader.email}`,
    ].toSorted(),
  );
  expect(chosen.recipients[0]?.due).toEqual({ days: 2, day: null });
  const mine = await createDraft(member, { recipients: [], fields: [] });
  const teamless = await choose(member, mine, { kind: null, circuit_id: circuit?.id });
  expect(teamless.body.errors).toEqual({
    circuit_id: ["Ce circuit s’adresse à votre équipe, et vous n’êtes dans aucune"],
  });
});

it("a circuit with another party asks for that party", async () => {
  const name = "Lettres";
  await expectStatus(add({ ...CONVENTIONS, name, use: "free", kinds: [] }), 200);
  const circuit = (await listed()).find((one) => one.name === name);
  const draft = await createDraft(member, { recipients: [], fields: [] });
  const chosen = { kind: null, circuit_id: circuit?.id };
  const refused = await choose(member, draft, chosen);
  expect(refused.body.errors).toEqual({ other_party: ["Indiquez l’autre partie"] });
  const party = [{ email: PAUL.email, full_name: PAUL.full_name }];
  const answer = await choose(member, draft, { ...chosen, other_party: party });
  expect(shape(answer.body)[2]).toBe(`3 signer ${PAUL.email}`);
  const without = await choose(member, draft, { kind: null, circuit_id: null });
  expect([without.body.circuit, without.body.recipients.length]).toEqual([undefined, 4]);
});

it("a copy keeps the kind, and has its circuit chosen anew", async () => {
  const name = "Baux";
  const imposed = { ...CONVENTIONS, name, kinds: ["Bail"] };
  await expectStatus(add(imposed), 200);
  const draft = await createDraft(member, { recipients: [PAUL], fields: [] });
  const chosen = await choose(member, draft, { kind: "Bail", circuit_id: null });
  await expectStatus(member.post(`${ENVELOPES}${draft.id}/send/`, {}), 200);
  const duplicate = () => member.post(`${ENVELOPES}${draft.id}/duplicate/`, {});
  const copied = await duplicate();
  expect([copied.status, copied.body.document_kind, copied.body.circuit]).toEqual([
    201,
    "Bail",
    { name, imposed: true, open: [3] },
  ]);
  expect(shape(copied.body)).toEqual(shape(chosen.body));

  const { id, version } = (await listed()).find((one) => one.name === name) as Circuit;
  const address = `${CIRCUITS}${id}/`;
  const shorter = { ...imposed, use: "free", steps: STEPS.slice(1, 3), version };
  await expectStatus(administrator.send("PUT", address, { body: shorter }), 200);
  expect(shape((await duplicate()).body)).toEqual([
    "1 signer maire@ville.fr",
    `2 signer ${PAUL.email}`,
  ]);
  await expectStatus(administrator.send("DELETE", address), 200);
  const without = await duplicate();
  expect([without.status, without.body.circuit, shape(without.body)]).toEqual([
    201,
    undefined,
    shape(chosen.body),
  ]);
});

const TEMPLATES = "/api/signature/templates/";
function fieldOf({ documents }: Envelope, { id, y }: { readonly id: string; readonly y: number }) {
  const { document_index: _index, recipient_index: _rank, ...field } = fieldAt("signature", y);
  return { ...field, document_id: documents[0]?.id, recipient_id: id };
}

/** A template of an imposed circuit, with a field of the mayor, one of Paul, and one text of Paul. */
async function saveWithCircuit(name: string, kind: string, steps = STEPS) {
  await expectStatus(add({ ...CONVENTIONS, name, kinds: [kind], steps }), 200);
  const circuit = (await listed()).find((one) => one.name === name) as Circuit;
  const draft = await createDraft(member, { recipients: [PAUL], fields: [] });
  const chosen: Envelope = (await choose(member, draft, { kind, circuit_id: null })).body;
  const idOf = (email: string) => chosen.recipients.find((one) => one.email === email)?.id;
  const fields = [MAYOR.email, PAUL.email].map((email, index) =>
    fieldOf(chosen, { id: idOf(email) ?? "", y: 0.2 + index / 5 }),
  );
  const body = { fields };
  await expectStatus(member.send("PATCH", `${ENVELOPES}${draft.id}/`, { body }), 200);
  const roles = chosen.recipients.map(({ id }, index) => ({
    recipient: id,
    label: `Rôle ${index}`,
  }));
  const saved = await member.post(TEMPLATES, { envelope: draft.id, name, roles });
  expect(saved.status).toBe(201);
  return { circuit, chosen, template: saved.body };
}

const ZOE = { email: "zoe@exemple.fr", full_name: "Zoë Martin" };
const fieldsOf = ({ fields, recipients }: Envelope) =>
  fields.map((field) => recipients.find(({ id }) => id === field.recipient_id)?.email);

it("a template keeps kind and circuit, asks for the other party alone, and names nobody", async () => {
  const { circuit, chosen, template } = await saveWithCircuit("Mandats", "Mandat");
  expect(template).toMatchObject({
    document_kind: "Mandat",
    circuit: { name: "Mandats" },
    roles: [{ label: "Rôle 2", role: "signer", order: 3, field_count: 1 }],
    field_count: 2,
  });
  const { content } = await service.platform.db
    .selectFrom("templates")
    .select("content")
    .where("id", "=", template.id)
    .executeTakeFirstOrThrow();
  expect(JSON.stringify(content)).not.toContain("@");

  const use = (people: object[]) => member.post(`${TEMPLATES}${template.id}/use/`, { people });
  expect(Object.keys((await use([])).body.errors)).toEqual(["roles.0"]);
  const made = await use([{ ...ZOE, role_index: 0 }]);
  expect([made.status, made.body.document_kind, made.body.circuit]).toEqual([
    201,
    "Mandat",
    { name: "Mandats", imposed: true, open: [3] },
  ]);
  expect(shape(made.body)).toEqual(shape(chosen).map((row) => row.replace(PAUL.email, ZOE.email)));
  expect(fieldsOf(made.body)).toEqual([MAYOR.email, ZOE.email]);
  await expectStatus(member.post(`${ENVELOPES}${made.body.id}/send/`, {}), 200);

  const address = `${CIRCUITS}${circuit.id}/`;
  const other = { ...MAYOR, email: "nouveau.maire@ville.fr" };
  const steps = [STEPS[0], step("signature", other), STEPS[2]];
  const body = {
    ...CONVENTIONS,
    name: "Mandats",
    use: "free",
    kinds: ["Mandat"],
    steps,
    version: circuit.version,
  };
  await expectStatus(administrator.send("PUT", address, { body }), 200);
  const changed = (await use([{ ...ZOE, role_index: 0 }])).body;
  expect(shape(changed).slice(1)).toEqual([`2 signer ${other.email}`, `3 signer ${ZOE.email}`]);
  expect(fieldsOf(changed)).toEqual([other.email, ZOE.email]);

  await expectStatus(administrator.send("DELETE", address), 200);
  const labels = ["Rôle 2", "Visa 1", "Signataire 1", "Copie 1"];
  const lost = (await member.get(`${TEMPLATES}${template.id}/`)).body;
  expect(lost).toMatchObject({ circuit: null, lost_circuit: "Mandats", document_kind: "Mandat" });
  expect(lost.roles.map(({ label }: { label: string }) => label)).toEqual(labels);
  expect(Object.keys((await use([{ ...ZOE, role_index: 0 }])).body.errors)).toHaveLength(3);
  const cast = labels.map((label, role_index) => {
    const email = `${label.replace(/\W/g, "")}@exemple.fr`.toLowerCase();
    return { full_name: "Léa Roy", email, role_index };
  });
  const named = async () => (await member.get(`${TEMPLATES}${template.id}/`)).body.circuit;
  await expectStatus(add({ ...CONVENTIONS, name: "Procurations", kinds: ["MANDÂT"] }), 200);
  expect(await named()).toEqual({ name: "Procurations" });
  const next = (await listed()).find(({ name }) => name === "Procurations");
  await expectStatus(administrator.send("DELETE", `${CIRCUITS}${next?.id}/`), 200);
  const alone = await use(cast);
  expect([alone.status, alone.body.circuit, alone.body.document_kind]).toEqual([
    201,
    undefined,
    "Mandat",
  ]);
  expect(shape(alone.body)).toEqual([
    "3 signer rle2@exemple.fr",
    "1 visa visa1@exemple.fr",
    "2 signer signataire1@exemple.fr",
    "4 viewer copie1@exemple.fr",
  ]);
  expect(fieldsOf(alone.body)).toEqual(["signataire1@exemple.fr", "rle2@exemple.fr"]);
});

it("a template asks for both who sign at once when one of them is the other party, and so does a copy", async () => {
  const steps = [
    step("signature", MAYOR),
    step("signature", { who: "other_party" }, { together: true }),
  ];
  const { chosen, template } = await saveWithCircuit("Ententes", "Entente", steps);
  const role = { role: "signer", order: 1, field_count: 1 };
  expect([chosen.circuit?.open, template.roles]).toEqual([
    [1],
    [
      { ...role, label: "Rôle 0" },
      { ...role, label: "Rôle 1" },
    ],
  ]);
  const { who: _who, ...mayor } = MAYOR;
  const people = [mayor, ZOE].map((person, role_index) => ({ ...person, role_index }));
  const made = await member.post(`${TEMPLATES}${template.id}/use/`, { people });
  expect(made.status).toBe(201);
  expect(shape(made.body)).toEqual([`1 signer ${MAYOR.email}`, `1 signer ${ZOE.email}`]);
  expect(fieldsOf(made.body)).toEqual([MAYOR.email, ZOE.email]);
  const copied = await member.post(`${ENVELOPES}${made.body.id}/duplicate/`, {});
  expect([copied.status, shape(copied.body)]).toEqual([201, shape(made.body)]);
});

it("a template whose circuit now has the other party first gives them nobody else's fields", async () => {
  const pair = [STEPS[1], STEPS[2]] as CircuitStep[];
  const { circuit, template } = await saveWithCircuit("Cessions", "Cession", pair);
  const { id, version, name, use, kinds } = circuit;
  const body = { name, use, kinds, version, steps: pair.toReversed() };
  await expectStatus(administrator.send("PUT", `${CIRCUITS}${id}/`, { body }), 200);
  const people = [{ ...ZOE, role_index: 0 }];
  const made = await member.post(`${TEMPLATES}${template.id}/use/`, { people });
  expect(made.status).toBe(201);
  expect(shape(made.body)).toEqual([`1 signer ${ZOE.email}`, `2 signer ${MAYOR.email}`]);
  expect(fieldsOf(made.body)).toEqual([ZOE.email]);
});

it("the other party keeps the number given to a template, also when the circuit is chosen again", async () => {
  const { template } = await saveWithCircuit("Promesses", "Promesse");
  const phone_number = "+33612345678";
  const people = [{ ...ZOE, role_index: 0, phone_number }];
  const made = await member.post(`${TEMPLATES}${template.id}/use/`, { people });
  const again = await choose(member, made.body, { kind: "Promesse", circuit_id: null });
  for (const { body } of [made, again])
    expect(body.recipients[2]).toMatchObject({ email: ZOE.email, phone_number });
});

it("a mailing of a template with a circuit sends each line by it, and does not start without it", async () => {
  const { circuit, template } = await saveWithCircuit("Courriers", "Courrier");
  const csv = "Rôle 2 nom;Rôle 2 email\nZoë Martin;zoe@exemple.fr\nLéo Petit;leo@exemple.fr\n";
  const prepare = () =>
    member.post("/api/signature/mailings/", {
      template: template.id,
      file: { name: "lignes.csv", content: Buffer.from(csv).toString("base64") },
    });
  const first = await prepare();
  expect([first.status, first.body.faults]).toEqual([201, []]);
  const at = (id: string) => `/api/signature/mailings/${id}/`;
  const preview = await member.get(`${at(first.body.id)}rows/2/preview/`);
  expect(preview.body.recipients.map(({ email }: { email: string }) => email)).toContain(
    MAYOR.email,
  );
  await expectStatus(member.post(`${at(first.body.id)}start/`, {}), 202);
  await service.settle();
  const sent = (await member.get(at(first.body.id))).body;
  expect([sent.state, sent.sent, sent.failed]).toEqual(["done", 2, 0]);
  const rows = (await member.get(`${at(first.body.id)}rows/`)).body.results;
  const made = (await member.get(`${ENVELOPES}${rows[0].envelope_id}/`)).body;
  expect([made.status, made.document_kind, made.circuit?.name]).toEqual([
    "sent",
    "Courrier",
    "Courriers",
  ]);
  expect(shape(made)[1]).toBe(`2 signer ${MAYOR.email}`);

  const second = await prepare();
  await expectStatus(administrator.send("DELETE", `${CIRCUITS}${circuit.id}/`), 200);
  const refused = await member.post(`${at(second.body.id)}start/`, {});
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    { columns: expect.arrayContaining([expect.stringContaining("Signataire 1")]) },
  ]);
});

it("a step's limit is in its invitation and its detail, and the sender is notified once it has passed", async () => {
  service.platform.clock.set(new Date("2026-11-19T09:00:00Z"));
  administrator = await signIn(service, leader);
  const steps = [
    step("visa", { ...MAYOR, email: "delai@ville.fr" }, { days: 2, remind: "eve" }),
    step("signature", { ...MAYOR, email: "adjoint@ville.fr" }),
  ];
  const name = "Arrêtés";
  const late = [step("signature", MAYOR, { remind: "eve" })];
  const refused = await add({ ...CONVENTIONS, name, use: "free", kinds: [], steps: late });
  expect(refused.body.errors["steps.0"]).toEqual([
    "Étape 1\u00a0: un rappel la veille demande un délai.",
  ]);
  await expectStatus(add({ ...CONVENTIONS, name, use: "free", kinds: [], steps }), 200);
  const circuit = (await listed()).find((one) => one.name === name);
  const draft = await createDraft(administrator, { recipients: [], fields: [] });
  await expectStatus(choose(administrator, draft, { kind: null, circuit_id: circuit?.id }), 200);
  await expectStatus(administrator.post(`${ENVELOPES}${draft.id}/send/`, {}), 200);
  const [invitation] = await mailFor(service.platform, "delai@ville.fr");
  expect(invitation?.content.text).toContain("au plus tard le 23\u00a0novembre 2026");
  const sent: Envelope = (await administrator.get(`${ENVELOPES}${draft.id}/`)).body;
  expect(sent.recipients.map(({ due }) => due)).toEqual([
    { days: 2, day: "2026-11-23" },
    undefined,
  ]);

  const reminded = async (moment: string) => {
    service.platform.clock.set(new Date(moment));
    const count = await remindDue(service.platform);
    await service.settle();
    return count;
  };
  expect(await reminded("2026-11-19T16:00:00Z")).toBe(0);
  expect(await reminded("2026-11-20T08:05:00Z")).toBe(1);
  expect(await reminded("2026-11-23T10:00:00Z")).toBe(0);
  expect(await reminded("2026-11-24T08:05:00Z")).toBe(1);
  expect(await reminded("2026-11-25T08:05:00Z")).toBe(0);
  const subjects = (await mailFor(service.platform, leader.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject.startsWith("Étape en retard"))).toHaveLength(1);
  administrator = await signIn(service, leader);
  const events = await eventsOf(administrator, draft.id);
  expect(events.map(({ action }: { action: string }) => action)).toContain("step_late");
});
