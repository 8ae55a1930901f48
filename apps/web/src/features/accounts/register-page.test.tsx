import { useCropped } from "./testing/use-cropped.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, useLocation, useNavigate } from "react-router";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { rememberServiceRules } from "../../lib/api/service-rules.ts";
import { rememberPasswordMinimum } from "./password-minimum.ts";
import { RegisterPage } from "./register-page.tsx";
import { buttonNamed, fill, linkTo, press } from "./testing/forms.ts";

let answer: { status: number; body: unknown };
let sent: FormData[];
let resends: number;

beforeEach(() => {
  answer = { status: 201, body: { detail: "" } };
  sent = [];
  resends = 0;
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (url: string, { body }: { body: unknown }) => {
    if (body instanceof FormData) sent.push(body);
    if (url.endsWith("/register/resend/")) resends++;
    return new URL(url).pathname === "/api/signature/register/"
      ? Response.json(answer.body, { status: answer.status })
      : Response.json({});
  });
});
afterEach(() => vi.unstubAllGlobals());

function Back() {
  const navigate = useNavigate();
  return (
    <button type="button" onClick={() => void navigate(-1)}>
      Retour du navigateur
    </button>
  );
}

function Where() {
  const { pathname, search } = useLocation();
  return <output data-testid="where">{`${pathname}${search}`}</output>;
}

function open() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <RegisterPage />
        <Where />
        <Back />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

async function fillAccount() {
  await fill("Nom d’utilisateur", "pauline");
  await fill("Email", "pauline@exemple.fr");
  await fill("Mot de passe", "Cahier-vert-77");
  await press("Suivant");
}

async function fillProfile() {
  await fill(await screen.findByLabelText("Prénom"), "Pauline");
  await fill("Nom", "Œuvrard");
  await fill("Date de naissance", "14/03/1984");
  await press("Créer mon compte");
}

test("'Suivant' waits for a valid step 1, and fields show their errors on blur", async () => {
  open();
  const next = buttonNamed("Suivant");
  expect(next.getAttribute("aria-disabled")).toBe("true");
  await fill("Email", "pauline@");
  await fill("Mot de passe", "abcd");
  await userEvent.tab();
  expect(await screen.findByText("Email invalide")).toBeDefined();
  expect(await screen.findByText("Minimum 5 caractères")).toBeDefined();
});

test("step 1 shows a taken name and a common password together, before the profile", async () => {
  const network = fetch;
  const errors = {
    username: ["Ce nom d’utilisateur est déjà pris"],
    password: ["Ce mot de passe est trop courant. Choisissez-en un autre"],
  };
  vi.stubGlobal("fetch", async (url: string, options: object) =>
    url.endsWith("/register/check/")
      ? Response.json({ code: "validation", errors }, { status: 400 })
      : network(url, options),
  );
  open();
  await fillAccount();
  const name = screen.getByLabelText("Nom d’utilisateur");
  await vi.waitFor(() => expect(document.activeElement).toBe(name));
  expect(name.getAttribute("aria-invalid")).toBe("true");
  for (const [message] of Object.values(errors))
    expect(screen.getByText(message as string)).toBeDefined();
  expect(screen.queryByLabelText("Prénom")).toBeNull();
});

test("an account that is activated at once leads to the login, which says so", async () => {
  answer.body = { detail: "", activated: true };
  open();
  await fillAccount();
  await fillProfile();
  await waitFor(() => expect(screen.getByTestId("where").textContent).toBe("/login?activated=1"));
});

test("on a service with a local mailbox, the success page says where the mail is read", async () => {
  answer.body = { detail: "", mailbox: "/boite-aux-lettres/" };
  open();
  await fillAccount();
  await fillProfile();
  expect(
    (await screen.findByRole("link", { name: "boîte aux lettres locale" })).getAttribute("href"),
  ).toBe("/boite-aux-lettres/");
});

test("step 2 focuses its title and lists what is missing", async () => {
  open();
  await fillAccount();
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Profil" })),
  );
  await press("Créer mon compte");
  const summary = await screen.findByText("Erreurs de validation");
  expect(summary).toBeDefined();
  const alert = summary.closest<HTMLElement>("[role=alert]") ?? document.body;
  const lines = [...alert.querySelectorAll("a")].map(({ textContent }) => textContent);
  expect(lines).toEqual(["Prénom requis", "Nom requis", "Date de naissance requise"]);
  await userEvent.click(screen.getByRole("link", { name: "Date de naissance requise" }));
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByLabelText("Date de naissance")),
  );
});

test("step 1 has its fields, a placeholder and a way to the login; step 2 has the profile's, in the specification's words", async () => {
  open();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Compte");
  expect(screen.getByPlaceholderText("Minimum 5 caractères")).toBe(
    screen.getByLabelText("Mot de passe"),
  );
  expect(linkTo("Se connecter")).toBe("/login");
  await userEvent.type(screen.getByLabelText("Email"), " ");
  await userEvent.clear(screen.getByLabelText("Email"));
  await userEvent.tab();
  expect(await screen.findByText("Email requis")).toBeDefined();
  await fillAccount();
  await screen.findByRole("heading", { name: "Profil" });
  const options = [...screen.getByLabelText<HTMLSelectElement>(/^Genre/).options].map(
    ({ value }) => value,
  );
  expect(options).toEqual(["", "Homme", "Femme"]);
  for (const label of [/^Téléphone/, /^Adresse/, "Image de profil"])
    expect(screen.getByLabelText(label)).toBeDefined();
  expect(screen.getByText("PNG, JPG jusqu'à 5MB (optionnel)")).toBeDefined();
  expect(buttonNamed("Précédent")).toBeDefined();
  const create = buttonNamed("Créer mon compte");
  expect(create.getAttribute("aria-disabled")).toBe("true");
  await userEvent.click(screen.getByLabelText("Prénom"));
  await userEvent.tab();
  expect(await screen.findByText("Prénom requis")).toBeDefined();
});

test("the agreement leads to the terms and the privacy policy", async () => {
  open();
  await fillAccount();
  await screen.findByRole("heading", { name: "Profil" });
  expect(linkTo("conditions d’utilisation")).toBe("/conditions");
  expect(linkTo("politique de confidentialité")).toBe("/confidentialite");
});

/** The test environment decodes no picture. */
const decodes = (width: number, height: number) =>
  vi.stubGlobal("createImageBitmap", async () => ({ width, height, close() {} }));

test.each([
  [
    "an SVG",
    "a.svg",
    "image/svg+xml",
    "Ce format d’image n’est pas accepté. Choisissez un PNG ou un JPG.",
  ],
  [
    "a damaged PNG",
    "a.png",
    "image/png",
    "Cette image ne peut pas être lue. Choisissez un fichier PNG ou JPG.",
  ],
])(
  "%s is refused under its field at once, without an empty preview",
  async (_what, name, type, sentence) => {
    vi.stubGlobal("createImageBitmap", async () => {
      throw new DOMException("The source image could not be decoded.", "InvalidStateError");
    });
    open();
    await fillAccount();
    await screen.findByRole("heading", { name: "Profil" });
    await userEvent.upload(
      screen.getByLabelText("Image de profil"),
      new File(["<svg/>"], name, { type }),
      { applyAccept: false },
    );
    expect((await screen.findByRole("alert")).textContent).toBe(sentence);
    expect(document.querySelector('img[src^="blob:"]')).toBeNull();
    expect(screen.queryByRole("button", { name: "Retirer" })).toBeNull();
  },
);

test("an avatar must be an image; the one chosen travels with the form", async () => {
  open();
  await fillAccount();
  await screen.findByRole("heading", { name: "Profil" });
  const input = screen.getByLabelText("Image de profil");
  await userEvent.upload(input, new File(["%PDF-"], "moi.pdf", { type: "application/pdf" }), {
    applyAccept: false,
  });
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Ce fichier n’est pas une image. Choisissez un PNG ou un JPG.",
  );
  decodes(400, 300);
  await userEvent.upload(input, new File(["PNG"], "moi.png", { type: "image/png" }));
  await useCropped();
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  await fillProfile();
  await screen.findByText("Inscription réussie !");
  const avatar = sent[0]?.get("avatar");
  expect(avatar instanceof File && avatar.name).toBe("moi.png");
});

test("sends the filled fields alone, then offers to send the email again", async () => {
  open();
  await fillAccount();
  await fillProfile();
  expect(await screen.findByText("Inscription réussie !")).toBeDefined();
  expect(Object.fromEntries(sent[0] ?? [])).toEqual({
    username: "pauline",
    email: "pauline@exemple.fr",
    password: "Cahier-vert-77",
    first_name: "Pauline",
    last_name: "Œuvrard",
    birth_date: "1984-03-14",
  });
  const resend = screen.getByRole("button", { name: "Renvoyer l'email" }) as HTMLButtonElement;
  await userEvent.click(resend);
  expect(resend.getAttribute("aria-disabled")).toBe("true");
  expect(document.activeElement).toBe(resend);
  await userEvent.click(resend);
  expect(resends).toBe(1);
  expect(
    screen.getByText(
      "Un email de confirmation a été envoyé à votre adresse. Vérifiez votre boîte mail pour activer votre compte.",
    ),
  ).toBeDefined();
  expect(linkTo("Aller à la connexion")).toBe("/login");
});

test("'Créer mon compte' waits, disabled, while the form is sent", async () => {
  const network = fetch;
  const { promise: held, resolve: answered } = Promise.withResolvers<void>();
  vi.stubGlobal("fetch", async (...call: Parameters<typeof fetch>) => {
    if (call[1]?.body instanceof FormData) await held;
    return network(...call);
  });
  open();
  await fillAccount();
  await fillProfile();
  const create = buttonNamed(/Créer mon compte/);
  await waitFor(() => expect(create.getAttribute("aria-busy")).toBe("true"));
  expect(create.getAttribute("aria-disabled")).toBe("true");
  await userEvent.click(create);
  answered();
  expect(await screen.findByText("Inscription réussie !")).toBeDefined();
  expect(sent).toHaveLength(1);
});

test("a failure to send the email again is only logged", async () => {
  const log = vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  const network = fetch;
  vi.stubGlobal("fetch", async (url: string, options: object) =>
    url.endsWith("/register/resend/") ? Response.json({}, { status: 500 }) : network(url, options),
  );
  open();
  await fillAccount();
  await fillProfile();
  await userEvent.click(await screen.findByRole("button", { name: "Renvoyer l'email" }));
  await waitFor(() => expect(log).toHaveBeenCalled());
  expect(screen.queryByRole("alert")).toBeNull();
});

test("the hint, placeholder, error and button use the service's password length", async () => {
  act(() => rememberPasswordMinimum({ password_min_length: 12 }));
  try {
    open();
    const password = screen.getByLabelText("Mot de passe");
    expect(password.getAttribute("placeholder")).toBe("Minimum 12 caractères");
    expect(password.getAttribute("minlength")).toBe("12");
    expect(screen.getByText(/^12 caractères au minimum\./)).toBeDefined();
    await fill("Nom d’utilisateur", "pauline");
    await fill("Email", "pauline@exemple.fr");
    await fill(password, "onze-lettre");
    await userEvent.tab();
    expect(await screen.findByText("Minimum 12 caractères")).toBeDefined();
    expect(buttonNamed("Suivant").getAttribute("aria-disabled")).toBe("true");
    await fill(password, "s");
    await waitFor(() => expect(buttonNamed("Suivant").getAttribute("aria-disabled")).toBeNull());
  } finally {
    act(() => rememberPasswordMinimum({ password_min_length: 5 }));
  }
});

describe("where not everybody may register", () => {
  const rule = (kind: string, domains: readonly string[] = []) =>
    act(() => rememberServiceRules({ registration: { kind, domains }, mail: true }));
  afterEach(() => {
    rule("open");
    window.history.replaceState(null, "", "/");
  });

  test("the page says so at once without a form, which only an invited person gets", () => {
    rule("closed");
    open();
    expect(
      screen.getByText(
        "Les inscriptions sont fermées sur ce service. Demandez une invitation à son administrateur.",
      ),
    ).toBeDefined();
    expect(screen.queryByRole("textbox")).toBeNull();
    cleanup();
    window.history.replaceState(null, "", "/register?invitation=abc");
    open();
    expect(screen.getByLabelText("Nom d’utilisateur")).toBeDefined();
  });

  test("the page names the allowed domains, and refuses another address before step 2", async () => {
    rule("domains", ["mairie.fr", "ville.fr"]);
    open();
    expect(
      screen.getByText("Ce service inscrit les adresses en @mairie.fr ou @ville.fr."),
    ).toBeDefined();
    await fillAccount();
    expect(
      await screen.findByText(
        "Ce service inscrit les adresses en @mairie.fr ou @ville.fr. Demandez une invitation à son administrateur.",
      ),
    ).toBeDefined();
    expect(screen.queryByLabelText("Prénom")).toBeNull();
    await userEvent.clear(screen.getByLabelText("Email"));
    await fill("Email", "pauline@Ville.fr");
    await press("Suivant");
    expect(await screen.findByLabelText("Prénom")).toBeDefined();
  });
});

test("each step says once which fields are required, and each field says so to assistive technology", async () => {
  open();
  expect(screen.getByText("Tous les champs sont obligatoires.")).toBeDefined();
  for (const label of ["Nom d’utilisateur", "Email", "Mot de passe"])
    expect(screen.getByLabelText(label).getAttribute("aria-required")).toBe("true");
  await fillAccount();
  await screen.findByRole("heading", { name: "Profil" });
  expect(screen.getByText(/^Les champs sont obligatoires, sauf ceux marqués/)).toBeDefined();
  for (const label of ["Prénom", "Nom", "Date de naissance"])
    expect(screen.getByLabelText(label).getAttribute("aria-required")).toBe("true");
  for (const label of [/^Téléphone/, /^Adresse/, /^Genre/])
    expect(screen.getByLabelText(label).hasAttribute("aria-required")).toBe(false);
});

test("a refused name leads back to step 1, on its field", async () => {
  answer = { status: 400, body: { username: ["Ce nom d’utilisateur est déjà pris"] } };
  open();
  await fillAccount();
  await fillProfile();
  await userEvent.click(
    await screen.findByRole("link", { name: "Ce nom d’utilisateur est déjà pris" }),
  );
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByLabelText("Nom d’utilisateur")),
  );
});

test("a person who took the refused name earlier can have a new activation link at the typed address", async () => {
  answer = { status: 400, body: { username: ["Ce nom d’utilisateur est déjà pris"] } };
  open();
  expect(
    screen.queryByRole("button", { name: "Recevoir un nouveau lien d’activation" }),
  ).toBeNull();
  await fillAccount();
  await fillProfile();
  await userEvent.click(
    await screen.findByRole("button", { name: "Recevoir un nouveau lien d’activation" }),
  );
  expect(screen.getByLabelText<HTMLInputElement>("Email").value).toBe("pauline@exemple.fr");
  await press("Renvoyer l'email");
  expect(
    await screen.findByText(/^Si un compte attend son activation à cette adresse/),
  ).toBeDefined();
  expect(resends).toBe(1);
});

test("an invited person may leave the birth date out, and nobody else", async () => {
  window.history.replaceState(null, "", "/register?invitation=abc");
  try {
    open();
    await fillAccount();
    await fill(await screen.findByLabelText("Prénom"), "Pauline");
    await fill("Nom", "Œuvrard");
    screen.getByLabelText("Date de naissance (facultatif)");
    await press("Créer mon compte");
    await screen.findByRole("heading", { name: "Inscription réussie !" });
    cleanup();
  } finally {
    window.history.replaceState(null, "", "/");
  }
  open();
  await fillAccount();
  await fill(await screen.findByLabelText("Prénom"), "Pauline");
  await fill("Nom", "Œuvrard");
  screen.getByLabelText("Date de naissance");
  expect(buttonNamed("Créer mon compte").getAttribute("aria-disabled")).toBe("true");
});

test("another failure says 'Erreur lors de l'inscription.'", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  answer = { status: 500, body: {} };
  open();
  await fillAccount();
  await fillProfile();
  expect((await screen.findByRole("alert")).textContent).toBe("Erreur lors de l'inscription.");
});

test("the browser's Back leads from step 2 to step 1, with its values", async () => {
  open();
  await fillAccount();
  await screen.findByRole("heading", { name: "Profil" });
  await fill("Prénom", "Pauline");
  await press("Retour du navigateur");
  expect((await screen.findByLabelText<HTMLInputElement>("Nom d’utilisateur")).value).toBe(
    "pauline",
  );
  await press("Suivant");
  expect((await screen.findByLabelText<HTMLInputElement>("Prénom")).value).toBe("Pauline");
});
