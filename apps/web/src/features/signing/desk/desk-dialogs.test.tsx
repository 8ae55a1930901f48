import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { ApiError } from "../../../lib/api/api-error.ts";
import { DeclineDialog } from "./decline-dialog.tsx";
import { MentionDialog } from "./desk-dialogs.tsx";
import { PersonInput } from "../../envelopes/prepare/recipients/person-input.tsx";
import type { SigningCalls } from "../signing-calls.ts";
import { StepDialog } from "./visa-actions.tsx";
import { renderPart } from "../../envelopes/testing/page.tsx";
import type { SigningField } from "./field-walk.ts";

/** The words that explain a control to who cannot see what stands beside it. */
const describedBy = (control: HTMLElement) =>
  document.getElementById(control.getAttribute("aria-describedby") ?? "")?.textContent;

it("asks for a reason and a confirmation before declining", async () => {
  const onDecline = vi.fn(async () => undefined);
  const user = userEvent.setup();
  render(<DeclineDialog actor="signer" onDecline={onDecline} onClose={vi.fn()} />);
  const refuse = screen.getByRole("button", { name: "Refuser de signer" });
  await user.click(refuse);
  expect([refuse.getAttribute("aria-disabled"), describedBy(refuse)]).toEqual([
    "true",
    "Cochez la case de confirmation avant de refuser.",
  ]);
  expect(onDecline).not.toHaveBeenCalled();
  // Focused, it comes in sight.
  expect(document.activeElement).toBe(screen.getByRole("checkbox"));
  await user.click(screen.getByRole("checkbox"));
  expect(describedBy(refuse)).toBeUndefined();
  await user.click(refuse);
  const details = screen.getByLabelText(/Précisez/);
  expect([document.activeElement, describedBy(details)]).toEqual([
    details,
    "Indiquez le motif de votre refus",
  ]);
  await user.click(screen.getByRole("radio", { name: "Erreur dans le document" }));
  await user.type(details, "Le prix est faux");
  await user.click(refuse);
  expect(onDecline).toHaveBeenCalledWith("Erreur dans le document : Le prix est faux");
});

it.each([
  ["visa", "de viser"],
  ["approver", "d’approuver"],
] as const)("asks whether %s refuses %s, not to sign", (role, deed) => {
  render(<DeclineDialog actor={role} onDecline={vi.fn()} onClose={vi.fn()} />);
  expect(screen.getByRole("dialog", { name: `Refuser ${deed}\u202f?` })).toBeDefined();
  expect(screen.getByRole("button", { name: `Refuser ${deed}` })).toBeDefined();
  expect(screen.getByLabelText(`Je confirme que je refuse ${deed} ce document.`)).toBeDefined();
});

it("retains the typed reason and says why when the refusal is not recorded", async () => {
  const user = userEvent.setup();
  render(
    <DeclineDialog
      actor="signer"
      onDecline={() => Promise.reject(new ApiError({ status: 0 }))}
      onClose={vi.fn()}
    />,
  );
  await user.click(screen.getByRole("radio", { name: "Désaccord" }));
  await user.click(screen.getByRole("checkbox"));
  await user.click(screen.getByRole("button", { name: "Refuser de signer" }));
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Votre refus n’a pas été enregistré. Réessayez.",
  );
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Désaccord" }).checked).toBe(true);
});

const FIELD: SigningField = {
  id: "m",
  document_id: "d",
  recipient_id: "r",
  type: "mention",
  page: 1,
  x: 0.1,
  y: 0.1,
  width: 0.4,
  height: 0.05,
  required: true,
  label: null,
  value: "Lu et approuvé",
  own: true,
};

function open(value = "") {
  const [onSave, onClose] = [vi.fn(), vi.fn()];
  render(
    <MentionDialog
      field={FIELD}
      value={value}
      error={undefined}
      onSave={onSave}
      onClose={onClose}
    />,
  );
  return {
    onSave,
    onClose,
    user: userEvent.setup(),
    input: screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Votre mention" }),
  };
}
const helpOf = (input: HTMLElement) =>
  (input.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent)
    .join(" ")
    .replaceAll("\u00a0", " ");

it("shows the sentence, and at each letter what is left or differs", async () => {
  const { user, input } = open();
  expect(screen.getByText("Lu et approuvé")).toBeTruthy();
  expect(helpOf(input)).toBe("Il reste 3 mots à écrire ; le prochain est « Lu ».");
  await user.type(input, "Lu et aprou");
  expect(helpOf(input)).toBe(
    "Une lettre diffère : écrivez « approuvé », et non « aprou » (la 3ᵉ lettre est « p »).",
  );
  await user.clear(input);
  await user.type(input, "Lu et approuvé");
  expect(helpOf(input)).toBe("La mention est exacte.");
});

it("accepts only the exact sentence, and otherwise says what is wrong", async () => {
  const { user, input, onSave, onClose } = open();
  await user.type(input, "lu");
  await user.click(screen.getByRole("button", { name: "Valider" }));
  expect(onClose).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(input);
  expect([input.getAttribute("aria-invalid"), helpOf(input)]).toEqual([
    "true",
    expect.stringContaining("Attention aux majuscules : écrivez « Lu », et non « lu »."),
  ]);
  await user.clear(input);
  await user.type(input, "Lu et approuvé");
  await user.click(screen.getByRole("button", { name: "Valider" }));
  expect(onSave).toHaveBeenCalledWith("Lu et approuvé");
  expect(onClose).toHaveBeenCalledOnce();
});

it("retains a half-written sentence", async () => {
  const { user, input, onSave } = open("Lu");
  await user.type(input, " et");
  await user.click(screen.getByRole("button", { name: "Plus tard" }));
  expect(onSave).toHaveBeenCalledWith("Lu et");
});

it("refuses a paste and says why", async () => {
  const { user, input } = open();
  await user.click(input);
  await user.paste("Lu et approuvé");
  expect(input.value).toBe("");
  expect(helpOf(input)).toContain(
    "Le collage ne sert pas ici : écrivez la phrase vous-même, au clavier ou à la voix.",
  );
});

it("announces the help after a pause, inside the dialog", () => {
  vi.useFakeTimers();
  const { input } = open();
  const status = screen.getByRole("status");
  fireEvent.change(input, { target: { value: "Lu e" } });
  expect(status.textContent).toBe("");
  act(() => {
    vi.advanceTimersByTime(1_000);
  });
  vi.useRealTimers();
  expect(status.textContent).toContain("le prochain est «\u00a0et\u00a0».");
  expect(screen.getByRole("dialog").contains(status)).toBe(true);
});

it("« Confier à… » proposes contacts and colleagues to an account, and asks a guest for both lines", async () => {
  const user = userEvent.setup();
  const fetched = vi.fn(async () =>
    Response.json({
      results: [
        { full_name: "Théo Lenoir", email: "theo@exemple.fr", phone_number: "+33611223344" },
      ],
    }),
  );
  vi.stubGlobal("fetch", fetched);
  const post = vi.fn(async () => undefined);
  const open = (calls: Pick<SigningCalls, "PersonInput">) =>
    renderPart(
      <StepDialog
        kind="reassign"
        step={undefined}
        calls={{ post, ...calls }}
        onOutcome={vi.fn()}
        onClose={vi.fn()}
      />,
    );
  const { unmount } = open({});
  expect(screen.queryByRole("combobox")).toBeNull();
  await user.type(screen.getByLabelText("Nom"), "théo");
  expect(fetched).not.toHaveBeenCalled();
  unmount();

  open({ PersonInput });
  await user.type(screen.getByRole("combobox", { name: "Nom" }), "théo");
  await user.click(await screen.findByRole("option", { name: /Théo Lenoir/ }));
  await user.click(screen.getByRole("button", { name: "Confier l’étape" }));
  expect(post).toHaveBeenCalledWith("reassign/", {
    email: "theo@exemple.fr",
    full_name: "Théo Lenoir",
    reason: null,
  });
  vi.unstubAllGlobals();
});

it("gives a visa only once it is confirmed, and says why it was not recorded", async () => {
  const user = userEvent.setup();
  const post = vi
    .fn()
    .mockRejectedValueOnce(new ApiError({ status: 0 }))
    .mockResolvedValue({});
  const [onOutcome, onClose] = [vi.fn(), vi.fn()];
  renderPart(
    <StepDialog kind="visa" step={undefined} calls={{ post }} {...{ onOutcome, onClose }} />,
  );
  expect(screen.getByRole("dialog", { name: "Donner votre visa\u202f?" })).toBeDefined();
  const give = screen.getByRole("button", { name: "Donner mon visa" });
  expect(post).not.toHaveBeenCalled();
  await user.click(give);
  expect((await screen.findByRole("alert")).textContent).not.toBe("");
  expect([onClose, onOutcome].map((call) => call.mock.calls)).toEqual([[], []]);
  await user.click(give);
  expect(post).toHaveBeenLastCalledWith("visa/", {});
  expect(onOutcome).toHaveBeenCalledWith({ kind: "reload", message: null });
  expect(onClose).toHaveBeenCalledOnce();
});

it.each([
  ["preparer", 0, /^Il revient à qui l’a préparé, pour correction, avec votre motif\.$/],
  [
    "visa",
    1,
    /^Il revient à une étape précédente.*Les signatures déjà données sur cette version sont annulées\.$/,
  ],
] as const)("says where a document goes (%s) and what it loses (%d signed)", (role, n, said) => {
  render(
    <StepDialog
      kind="send-back"
      calls={{ post: vi.fn() }}
      step={{ returns: [{ order: 0, role, names: ["Inès Bollore"] }], may_reassign: false }}
      signedCount={n}
      onOutcome={vi.fn()}
      onClose={vi.fn()}
    />,
  );
  expect(screen.getByText(said)).toBeDefined();
});

it("sends back to nobody by default: a step and a reason are asked for", async () => {
  const user = userEvent.setup();
  const post = vi.fn(async () => undefined);
  const returns = [
    { order: 0, role: "preparer" as const, names: ["Inès Bollore"] },
    { order: 1, role: "visa" as const, names: ["Paul Morel"] },
  ];
  render(
    <StepDialog
      kind="send-back"
      calls={{ post }}
      step={{ returns, may_reassign: false }}
      onOutcome={vi.fn()}
      onClose={vi.fn()}
    />,
  );
  await user.type(screen.getByLabelText(/Motif/), "À revoir");
  await user.click(screen.getByRole("button", { name: "Renvoyer" }));
  expect(screen.getByText("Choisissez à qui renvoyer")).toBeDefined();
  expect(post).not.toHaveBeenCalled();
  await user.selectOptions(screen.getByLabelText("Renvoyer à"), "Inès Bollore, qui a préparé");
  await user.click(screen.getByRole("button", { name: "Renvoyer" }));
  expect(post).toHaveBeenCalledWith("send-back/", { order: 0, reason: "À revoir" });
});
