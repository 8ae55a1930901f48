import { useCropped } from "../testing/use-cropped.ts";
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { type Call, clemence, openPage, serve } from "../settings/testing/open-page.tsx";
import { ProfilePage } from "./profile-page.tsx";
import { buttonNamed, press } from "../testing/forms.ts";

const ME = "/api/signature/me/";
const STORAGE = { status: 200, body: { used_bytes: 0, quota_bytes: null } };

beforeEach(() => act(clearToasts));
afterEach(() => vi.unstubAllGlobals());

const changes = (calls: readonly Call[]) => calls.filter(({ method }) => method === "PATCH");

async function open(answers: Parameters<typeof serve>[0] = {}, user = clemence) {
  const calls = serve({
    [`GET ${ME}`]: { status: 200, body: { user } },
    [`GET ${ME}storage/`]: STORAGE,
    ...answers,
  });
  const client = openPage(<ProfilePage />, user);
  await screen.findByLabelText("Prénom");
  return { calls, client };
}

const field = (label: string) => screen.getByLabelText(label) as HTMLInputElement;
const save = () => press("Enregistrer");

test("shows each field of the profile, the email once and not to be typed over", async () => {
  await open();
  expect(screen.getByRole("heading", { level: 1, name: "Mon compte" })).toBeDefined();
  expect(screen.getByText("Votre nom figure sur les certificats de signature.")).toBeDefined();
  expect(screen.getByText("PNG, JPG jusqu'à 5MB (optionnel)")).toBeDefined();
  expect(field("Prénom").value).toBe("Clémence");
  expect(field("Nom").value).toBe("Aubry-Lefèvre");
  expect(field("Date de naissance (facultatif)").value).toBe("14/03/1984");
  expect(field("Téléphone (facultatif)").value).toBe("06 12 34 56 78");
  expect(field("Adresse (facultatif)").value).toBe("27, quai du Havre\n76000 Rouen");
  expect(field("Email")).toMatchObject({ disabled: true, value: clemence.email });
  expect(document.body.textContent).not.toContain(clemence.email);
  expect(screen.queryByText("Modifications non enregistrées")).toBeNull();
});

test("an unconfirmed address receives its link for the password alone", async () => {
  const detail = "Si cette adresse peut être la vôtre, un lien y a été envoyé.";
  const { calls } = await open(
    { [`POST ${ME}email/`]: { status: 202, body: { detail } } },
    { ...clemence, email_confirmed: false },
  );
  const card = within(screen.getByRole("region", { name: "Confirmez votre adresse" }));
  await userEvent.type(card.getByLabelText("Mot de passe"), "une phrase");
  await userEvent.click(card.getByRole("button", { name: "Envoyer le lien" }));
  await card.findByText((words) => words.includes(`envoyé à ${clemence.email}.`));
  expect(screen.queryByText(detail)).toBeNull();
  expect(calls.find(({ method }) => method === "POST")?.body).toEqual({
    email: clemence.email,
    password: "une phrase",
  });
  cleanup();
  await open({}, { ...clemence, email_confirmed: false });
  const again = within(screen.getByRole("region", { name: "Confirmez votre adresse" }));
  again.getByText((words) => /envoyé à .* le .* un autre lien le remplace/.test(words));
  again.getByRole("button", { name: "Envoyer le lien" });
  cleanup();
  vi.useFakeTimers({ now: Date.now() + 86_400_000, toFake: ["Date"] });
  await open({}, { ...clemence, email_confirmed: false });
  vi.useRealTimers();
  expect(screen.queryByText(/un autre lien le remplace/)).toBeNull();
});

test("'Prénom requis' and 'Nom requis': listed with links, the first field focused, nothing sent", async () => {
  const { calls } = await open();
  await userEvent.clear(field("Nom"));
  await userEvent.clear(field("Prénom"));
  await save();
  const summary = (await screen.findByText("Erreurs de validation")).closest(
    "[role=alert]",
  ) as HTMLElement;
  expect(within(summary).getByRole("link", { name: "Prénom requis" })).toBeDefined();
  expect(document.activeElement).toBe(field("Prénom"));
  await userEvent.click(within(summary).getByRole("link", { name: "Nom requis" }));
  expect(document.activeElement).toBe(field("Nom"));
  expect(field("Nom").getAttribute("aria-invalid")).toBe("true");
  expect(changes(calls)).toEqual([]);
});

test("empty fields are sent as none, and the saved profile is shown, announced and in the session", async () => {
  const saved = {
    ...clemence,
    first_name: "Côme",
    birth_date: null,
    phone_number: "+33698765432",
    gender: "",
    address: null,
  };
  const { calls, client } = await open({ [`PATCH ${ME}`]: { status: 200, body: { user: saved } } });
  await userEvent.clear(field("Prénom"));
  await userEvent.type(field("Prénom"), "  Côme ");
  expect(screen.getByText("Modifications non enregistrées").getAttribute("role")).toBe("status");
  await userEvent.clear(field("Date de naissance (facultatif)"));
  await userEvent.selectOptions(field("Genre (facultatif)"), "Non précisé");
  await userEvent.clear(field("Téléphone (facultatif)"));
  await userEvent.type(field("Téléphone (facultatif)"), "06.98.76.54.32");
  await userEvent.clear(field("Adresse (facultatif)"));
  await save();
  await waitFor(() =>
    expect(currentToasts().map(({ message }) => message)).toEqual(["Profil enregistré"]),
  );
  expect(changes(calls)[0]?.body).toEqual({
    first_name: "Côme",
    last_name: "Aubry-Lefèvre",
    birth_date: null,
    phone_number: "+33698765432",
    gender: null,
    address: null,
  });
  expect(field("Téléphone (facultatif)").value).toBe("06 98 76 54 32");
  expect(screen.queryByText("Modifications non enregistrées")).toBeNull();
  expect(client.getQueryData(sessionQuery.queryKey)?.first_name).toBe("Côme");
});

test.each([
  ["Date de naissance (facultatif)", "31/02/1984", "Date invalide"],
  ["Téléphone (facultatif)", "12", "Téléphone invalide"],
])("%s: what cannot be is refused when the field is left", async (label, typed, sentence) => {
  await open();
  await userEvent.clear(field(label));
  await userEvent.type(field(label), typed);
  await userEvent.tab();
  expect(await screen.findByText(sentence)).toBeDefined();
});

test("the server's refusals go to their fields", async () => {
  const errors = {
    birth_date: ["La date de naissance est dans le futur"],
    avatar: ["Image illisible"],
  };
  await open({
    [`PATCH ${ME}`]: {
      status: 400,
      body: { code: "validation", detail: "Vérifiez les champs.", errors },
    },
  });
  await userEvent.type(field("Prénom"), "-Anne");
  await save();
  await waitFor(() => expect(document.activeElement).toBe(field("Date de naissance (facultatif)")));
  expect(screen.getAllByText("La date de naissance est dans le futur")).toHaveLength(2);
  expect(screen.getByText("Image illisible")).toBeDefined();
  expect(screen.queryByText("Vérifiez les champs.")).toBeNull();
  expect(currentToasts()).toEqual([]);
});

test("another refusal stands above the form, and nothing typed is lost", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await open({ [`PATCH ${ME}`]: { status: 500 } });
  await userEvent.type(field("Prénom"), "-Anne");
  await save();
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Impossible d’enregistrer le profil",
  );
  expect(field("Prénom").value).toBe("Clémence-Anne");
});

test("a new picture is shown at once and sent with the form; a text is refused as a picture", async () => {
  const { calls } = await open({
    [`PATCH ${ME}`]: {
      status: 200,
      body: { user: { ...clemence, avatar: "/api/signature/me/avatar/?v=1" } },
    },
  });
  const input = screen.getByLabelText("Image de profil");
  await userEvent.upload(input, new File(["bonjour"], "note.txt", { type: "text/plain" }), {
    applyAccept: false,
  });
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Ce fichier n’est pas une image. Choisissez un PNG ou un JPG.",
  );
  // The test environment decodes no picture.
  vi.stubGlobal("createImageBitmap", async () => ({ width: 400, height: 300, close() {} }));
  await userEvent.upload(input, new File(["image"], "moi.png", { type: "image/png" }));
  await useCropped();
  await waitFor(() =>
    expect(document.querySelector("main img")?.getAttribute("src")).toMatch(/^blob:/),
  );
  expect(screen.getByText("Modifications non enregistrées")).toBeDefined();
  await save();
  await waitFor(() =>
    expect(document.querySelector("main img")?.getAttribute("src")).toBe(
      "/api/signature/me/avatar/?v=1",
    ),
  );
  const sent = changes(calls)[0]?.body as FormData;
  expect((sent.get("avatar") as File).name).toBe("moi.png");
  expect(sent.get("first_name")).toBe("Clémence");
});

test("the picture can be removed: the focus stays nearby, and the form sends null", async () => {
  const { calls } = await open(
    { [`PATCH ${ME}`]: { status: 200, body: { user: clemence } } },
    { ...clemence, avatar: "/api/signature/me/avatar/?v=1" },
  );
  await press("Retirer");
  expect(document.activeElement).toBe(buttonNamed("Changer l’image"));
  expect(document.querySelector("main img")).toBeNull();
  await save();
  await waitFor(() => expect(changes(calls)[0]?.body).toMatchObject({ avatar: null }));
});

test("'Annuler' restores the saved profile", async () => {
  await open();
  await userEvent.clear(field("Prénom"));
  await press("Annuler");
  expect(field("Prénom").value).toBe("Clémence");
  expect(screen.queryByText("Modifications non enregistrées")).toBeNull();
  expect(screen.queryByText("Prénom requis")).toBeNull();
});

test("leaving with unsaved changes asks first; without any it does not", async () => {
  await open();
  await userEvent.type(field("Prénom"), "-Anne");
  const closing = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(closing);
  expect(closing.defaultPrevented).toBe(true);
  await userEvent.click(screen.getByRole("link", { name: "Ailleurs" }));
  const question = screen.getByRole("alertdialog", { name: "Quitter sans enregistrer\u202f?" });
  expect(within(question).getByText("Vos modifications seront perdues.")).toBeDefined();
  await userEvent.click(within(question).getByRole("button", { name: "Rester" }));
  expect(field("Prénom").value).toBe("Clémence-Anne");
  await userEvent.click(screen.getByRole("link", { name: "Ailleurs" }));
  await press("Quitter");
  expect(await screen.findByText("Arrivée")).toBeDefined();
});

test("a page without changes is left at once", async () => {
  await open();
  await userEvent.click(screen.getByRole("link", { name: "Ailleurs" }));
  expect(await screen.findByText("Arrivée")).toBeDefined();
});

test("a profile that does not load says so, and can be asked for again", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const answers: Parameters<typeof serve>[0] = {
    [`GET ${ME}`]: { status: 500 },
    [`GET ${ME}storage/`]: STORAGE,
  };
  serve(answers);
  openPage(<ProfilePage />);
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Impossible de charger votre profil",
  );
  answers[`GET ${ME}`] = { status: 200, body: { user: clemence } };
  await press("Réessayer");
  expect((await screen.findByLabelText<HTMLInputElement>("Prénom")).value).toBe("Clémence");
});

test("'Modifier l’adresse' takes the password, and shows a refusal at its field or the answer", async () => {
  const sentence = "Si cette adresse peut être la vôtre, un lien de confirmation y a été envoyé.";
  const refused = {
    status: 400,
    body: { code: "validation", detail: "x", errors: { password: ["Mot de passe incorrect"] } },
  };
  const answers: Parameters<typeof serve>[0] = {
    [`GET ${ME}`]: { status: 200, body: { user: clemence } },
    [`POST ${ME}email/`]: refused,
  };
  const calls = serve(answers);
  openPage(<ProfilePage />);
  await userEvent.click(await screen.findByRole("button", { name: "Modifier l’adresse" }));
  await userEvent.type(field("Nouvelle adresse"), "neuve@exemple.fr");
  await userEvent.type(field("Mot de passe"), "encre");
  await press("Envoyer le lien");
  expect(await screen.findByText("Mot de passe incorrect")).toBeDefined();
  answers[`POST ${ME}email/`] = { status: 202, body: { detail: sentence } };
  await press("Envoyer le lien");
  expect(await screen.findByText(sentence)).toBeDefined();
  expect(calls.at(-1)?.body).toEqual({ email: "neuve@exemple.fr", password: "encre" });
});

test("a number is verified by the code that came by SMS, and the session knows it", async () => {
  const { calls, client } = await open(
    {
      [`POST ${ME}phone/send-code/`]: {
        status: 200,
        body: { destination: "•• •• •• 56 78", expires_in: 600, resend_in: 60 },
      },
      [`POST ${ME}phone/verify/`]: { status: 200, body: { user: clemence } },
    },
    { ...clemence, phone_verified: false },
  );
  expect(screen.getByText(/numéro non vérifié/)).toBeDefined();
  await press("Vérifier ce numéro");
  expect((await screen.findByText(/Nous avons envoyé un code/)).textContent).toContain(
    "au •• •• •• 56 78",
  );
  const code = screen.getByLabelText("Code reçu par SMS");
  await waitFor(() => expect(document.activeElement).toBe(code));
  expect(screen.getByText(/Renvoyer dans/)).toBeDefined();
  await userEvent.type(code, "482913");
  expect(await screen.findByText(/numéro vérifié\./)).toBeDefined();
  expect(calls.at(-1)?.body).toEqual({ code: "482913" });
  expect(client.getQueryData(sessionQuery.queryKey)?.phone_verified).toBe(true);
  expect(currentToasts().map(({ message }) => message)).toEqual(["Numéro vérifié"]);
});

test("a wrong code says so, and can be typed again", async () => {
  await open(
    {
      [`POST ${ME}phone/send-code/`]: {
        status: 200,
        body: { destination: "•• 78", expires_in: 600, resend_in: 60 },
      },
      [`POST ${ME}phone/verify/`]: {
        status: 400,
        body: { code: "otp_invalid", detail: "Code incorrect ou expiré. Il vous reste 4 essais." },
      },
    },
    { ...clemence, phone_verified: false },
  );
  await press("Vérifier ce numéro");
  await userEvent.type(await screen.findByLabelText("Code reçu par SMS"), "000000");
  expect((await screen.findByRole("alert")).textContent).toContain("Il vous reste 4 essais.");
  const code = field("Code reçu par SMS");
  expect([code.value, code.getAttribute("aria-invalid")]).toEqual(["", "true"]);
});
