import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { SignatureDialog } from "./signature-dialog.tsx";

function open(more: Partial<Parameters<typeof SignatureDialog>[0]> = {}) {
  const onUse = vi.fn();
  render(
    <SignatureDialog
      signerName="Camille Roux"
      savedMarks={null}
      fieldCount={1}
      onUse={onUse}
      onClose={vi.fn()}
      {...more}
    />,
  );
  const user = userEvent.setup();
  return {
    onUse,
    user,
    choose: (tab: string) => user.click(screen.getByRole("tab", { name: tab })),
    use: () => user.click(screen.getByRole("button", { name: "Utiliser cette signature" })),
  };
}

beforeEach(() => sessionStorage.clear());

it("offers three methods to a guest, four to a member", () => {
  open();
  expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual([
    "Dessiner",
    "Saisir",
    "Importer",
  ]);
});

it("offers the saved signatures first, and gives the chosen one", async () => {
  const { onUse, use } = open({
    savedMarks: [
      {
        id: "s1",
        name: "Paraphe court",
        image: "data:image/png;base64,AAAA",
        is_default: true,
        text: null,
        font: null,
      },
    ],
  });
  expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual([
    "Dessiner",
    "Saisir",
    "Importer",
    "Mes signatures",
  ]);
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Paraphe court" }).checked).toBe(true);
  await use();
  expect(onUse.mock.calls[0]?.[0].mark).toEqual({ kind: "saved", saved_signature_id: "s1" });
});

it("says why the dialog opened when something else was pressed", () => {
  open({ reason: "Il manque votre signature." });
  expect(screen.getByRole("status").textContent).toContain("Il manque votre signature.");
});

it("says that no signature is saved, and where they are made", async () => {
  const { choose } = open({ savedMarks: [] });
  await choose("Mes signatures");
  expect(screen.getByText("Aucune signature enregistrée")).toBeTruthy();
  expect(screen.getByRole("link", { name: /Gérer mes signatures/ }).getAttribute("href")).toBe(
    "/signature/saved-signatures",
  );
});

it("saves a new mark on request, never one already saved", async () => {
  const onSave = vi.fn();
  const { onUse, user, choose, use } = open({ savedMarks: [], onSave });
  await choose("Mes signatures");
  expect(screen.queryByRole("checkbox", { name: "Enregistrer dans Mes signatures" })).toBeNull();
  await choose("Saisir");
  await user.click(screen.getByRole("checkbox", { name: "Enregistrer dans Mes signatures" }));
  await use();
  expect(onSave).toHaveBeenCalledWith({ kind: "typed", text: "Camille Roux", font: "caveat" });
  expect(onUse).toHaveBeenCalledOnce();
});

it("does not offer a guest to save a mark", () => {
  open();
  expect(screen.queryByRole("checkbox", { name: "Enregistrer dans Mes signatures" })).toBeNull();
});

it("does nothing while nothing is drawn", async () => {
  const { onUse, user, choose } = open();
  await choose("Dessiner");
  const use = screen.getByRole("button", { name: "Utiliser cette signature" });
  expect(use.getAttribute("aria-disabled")).toBe("true");
  await user.click(use);
  expect(onUse).not.toHaveBeenCalled();
  const reason = screen.getByText("Dessinez votre signature pour pouvoir l’utiliser.");
  expect([reason.id, reason.classList.contains("sr")]).toEqual([
    use.getAttribute("aria-describedby"),
    false,
  ]);
});

it("gives no reason once the signature can be used", async () => {
  const { choose } = open();
  await choose("Saisir");
  expect(
    screen.getByRole("button", { name: "Utiliser cette signature" }).getAttribute("aria-disabled"),
  ).toBeNull();
  expect(screen.queryByText(/pour pouvoir l’utiliser/)).toBeNull();
});

it("signs by the keyboard alone, with the name in a chosen hand", async () => {
  const { onUse, user, choose, use } = open();
  await choose("Dessiner");
  await user.keyboard("{ArrowRight}");
  expect(screen.getByRole("tab", { name: "Saisir" }).getAttribute("aria-selected")).toBe("true");
  expect(screen.getByLabelText<HTMLInputElement>("Nom à signer").value).toBe("Camille Roux");
  await user.click(screen.getByRole("radio", { name: "Notaire" }));
  await use();
  expect(onUse).toHaveBeenCalledWith(
    expect.objectContaining({
      mark: { kind: "typed", text: "Camille Roux", font: "herr-von-muellerhoff" },
    }),
    true,
  );
});

it("speaks of initials when it makes initials", async () => {
  const { onUse, user, choose } = open({ purpose: "initials", signerName: "C. R." });
  expect(screen.getByRole("dialog", { name: "Votre paraphe" })).toBeTruthy();
  await choose("Dessiner");
  expect(screen.getByText("Dessinez votre paraphe pour pouvoir l’utiliser.")).toBeTruthy();
  await choose("Saisir");
  await user.click(screen.getByRole("button", { name: "Utiliser ce paraphe" }));
  expect(onUse.mock.calls[0]?.[0].mark.text).toBe("C. R.");
});

it.each([
  ["a whole signature is none, so letters are proposed", "Signature complète", "Saisir"],
  ["one that is called so is proposed", "Mon paraphe", "Mes signatures"],
])("proposes as initials, of the saved signatures, %s", (_what, name, chosen) => {
  const saved = { image: "data:image/png;base64,AAAA", is_default: true, text: null, font: null };
  open({
    purpose: "initials",
    signerName: "C. R.",
    savedMarks: [
      { ...saved, id: "s0", name: "Au net" },
      { ...saved, id: "s1", name },
    ],
  });
  expect(screen.getByRole("tab", { selected: true }).textContent).toBe(chosen);
});

it("signs no other file unasked: the mark serves for all only when chosen", async () => {
  const { onUse, choose, use } = open({ fieldCount: 2, isForAll: false });
  await choose("Saisir");
  await use();
  expect(onUse.mock.calls[0]?.[1]).toBe(false);
});

it("asks whether the mark serves for all fields of its kind when there are several", async () => {
  const { onUse, user, choose, use } = open({ fieldCount: 4 });
  await choose("Saisir");
  await user.click(
    screen.getByRole("checkbox", { name: "Utiliser pour tous mes champs Signature (4)" }),
  );
  await use();
  expect(onUse.mock.calls[0]?.[1]).toBe(false);
});
