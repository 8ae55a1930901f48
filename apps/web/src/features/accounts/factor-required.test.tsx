import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { api } from "../../lib/api/api.ts";
import { confirmedCall } from "./confirmed-call.ts";
import { FactorRequired } from "./factor-required.tsx";
import { SecurityPage } from "./settings/security-page.tsx";
import { clemence, openPage, serve } from "./settings/testing/open-page.tsx";
import { lacksFactor } from "./use-session.ts";

afterEach(() => vi.unstubAllGlobals());
const NAMED = {
  "GET /api/organisation/": { status: 200, body: { identity: { name: "Cabinet Aubry" } } },
};

test("the service stays open until the day that requires a second factor", () => {
  const from = (by: Date) => lacksFactor({ ...clemence, second_factor_by: by.toISOString() });
  expect(lacksFactor(clemence)).toBe(false);
  expect(from(new Date(Date.now() + 60_000))).toBe(false);
  expect(from(new Date(Date.now() - 1))).toBe(true);
});

test("a person without a second factor chooses one or logs out", async () => {
  serve({
    ...NAMED,
    "POST /api/signature/me/factors/totp/setup/": {
      status: 200,
      body: { secret: "JBSWY3DPEHPK3PXP", uri: "otpauth://totp/Paraphe:c?secret=JBSWY3DPEHPK3PXP" },
    },
  });
  openPage(<FactorRequired />);
  expect(await screen.findByText(/^Cabinet Aubry demande un second facteur/)).toBeDefined();
  expect(screen.getByText("Déconnexion")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: /^Application d’authentification/ }));
  const dialog = await screen.findByRole("dialog", {}, { timeout: 5_000 });
  expect(within(dialog).getByText("1. Scannez ce QR code avec l’application")).toBeDefined();
});

test("before that day, the security page says until when", async () => {
  serve(NAMED);
  openPage(<SecurityPage />, { ...clemence, second_factor_by: "2126-11-30T23:00:00.000Z" });
  expect(await screen.findByText("À faire avant le 1er décembre 2126")).toBeDefined();
  expect(
    await screen.findByText(
      /^Cabinet Aubry demande une clé d’accès.*avant le 1er décembre 2126\. À partir/,
    ),
  ).toBeDefined();
});

test("a signature to be confirmed is sent again after the code, and not after a refusal", async () => {
  const SIGN = "POST /api/signature/sign/";
  const CONFIRM = "POST /api/signature/me/confirmation/";
  const refused = {
    status: 403,
    body: { code: "confirmation_required", detail: "Confirmez.", methods: ["totp"] },
  };
  const answers: Parameters<typeof serve>[0] = { [SIGN]: refused };
  const calls = serve(answers);
  openPage(<p>Signer</p>);
  const sign = () => confirmedCall(() => api.post("/api/signature/sign/", { body: {} }));
  const given = sign().catch((error: unknown) => String(error));
  await userEvent.click(await screen.findByRole("button", { name: "Annuler" }, { timeout: 5_000 }));
  expect(await given).toContain("Confirmez.");
  const again = sign();
  const code = await screen.findByLabelText("Code à 6 chiffres de votre application");
  answers[CONFIRM] = { status: 200, body: {} };
  answers[SIGN] = { status: 200, body: { signed: true } };
  await userEvent.type(code, "123456");
  expect(await again).toEqual({ signed: true });
  expect(calls.find(({ path }) => path.includes("confirmation"))?.body).toEqual({ code: "123456" });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a signature without a factor leads to where one is added, and is sent again after it", async () => {
  const SIGN = "POST /api/signature/sign/";
  const refused = { status: 403, body: { code: "factor_required", detail: "Ajoutez." } };
  const answers: Parameters<typeof serve>[0] = { [SIGN]: refused };
  serve(answers);
  openPage(<p>Signer</p>);
  const sign = () => confirmedCall(() => api.post("/api/signature/sign/", { body: {} }));
  const given = sign().catch((error: unknown) => String(error));
  await userEvent.click(await screen.findByRole("button", { name: "Fermer" }, { timeout: 5_000 }));
  expect(await given).toContain("Ajoutez.");
  const again = sign();
  const link = await screen.findByRole("link", { name: "Ouvrir Sécurité" });
  expect([link.getAttribute("href"), link.getAttribute("target")]).toEqual([
    "/settings/security",
    "_blank",
  ]);
  await userEvent.click(screen.getByRole("button", { name: "C’est fait" }));
  await screen.findByText("Votre compte n’a pas encore de second facteur.");
  answers[SIGN] = { status: 200, body: { signed: true } };
  await userEvent.click(screen.getByRole("button", { name: "C’est fait" }));
  expect(await again).toEqual({ signed: true });
  expect(screen.queryByRole("dialog")).toBeNull();
});
