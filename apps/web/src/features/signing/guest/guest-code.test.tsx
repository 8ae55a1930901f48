import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { ApiError } from "../../../lib/api/api-error.ts";
import { GuestCode } from "./guest-code.tsx";

function show(more: Partial<Parameters<typeof GuestCode>[0]> = {}) {
  const actions = {
    onVerify: vi.fn(async () => undefined),
    onResend: vi.fn(async () => undefined),
    onBack: vi.fn(),
  };
  render(
    <GuestCode
      destination="c•••@exemple.fr"
      channel="email"
      resendAt={Date.now() - 1}
      expiresAt={Date.now() + 580_000}
      phoneHint={null}
      notice={null}
      {...actions}
      {...more}
    />,
  );
  return {
    ...actions,
    user: userEvent.setup(),
    input: screen.getByLabelText<HTMLInputElement>("Code à 6 chiffres"),
  };
}

it("shows one input for the code, which the phone can fill", () => {
  const { input } = show();
  expect(screen.getAllByRole("textbox")).toHaveLength(1);
  expect([input.inputMode, input.autocomplete]).toEqual(["numeric", "one-time-code"]);
  expect(document.activeElement).toBe(input);
});

it("sends a pasted code with spaces once, as soon as it is complete", async () => {
  const { user, input, onVerify } = show();
  await user.click(input);
  await user.paste("482 719");
  expect(onVerify).toHaveBeenCalledTimes(1);
  expect(onVerify).toHaveBeenCalledWith("482719");
});

it("leaves a code that the network did not carry", async () => {
  const { user, input } = show({
    onVerify: () => Promise.reject(new ApiError({ status: 0 })),
  });
  await user.type(input, "482719");
  await screen.findByRole("alert");
  expect(input.value).toBe("482719");
});

it("clears a wrong code and asks again in the service's words", async () => {
  const { user, input } = show({
    onVerify: () =>
      Promise.reject(
        new ApiError({
          status: 400,
          code: "otp_invalid",
          sentence: "Code incorrect ou expiré. Il vous reste 3 essais.",
        }),
      ),
  });
  await user.type(input, "000000");
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Code incorrect ou expiré. Il vous reste 3 essais.",
  );
  expect(input.value).toBe("");
});

it("sends a code once when Enter follows its sixth digit, and leaves the refusal", async () => {
  const answers: ((refused: Error) => void)[] = [];
  const onVerify = vi.fn(
    () => new Promise<undefined>((_resolve, reject) => void answers.push(reject)),
  );
  const { input } = show({ onVerify });
  const form = input.closest("form");
  if (form === null) throw new Error("no form");
  fireEvent.change(input, { target: { value: "000000" } });
  fireEvent.submit(form);
  expect(onVerify).toHaveBeenCalledTimes(1);
  answers[0]?.(
    new ApiError({ status: 400, code: "otp_invalid", sentence: "Code incorrect ou expiré." }),
  );
  await screen.findByRole("alert");
  fireEvent.submit(form);
  expect(screen.getByRole("alert").textContent).toBe("Code incorrect ou expiré.");
  expect(onVerify).toHaveBeenCalledTimes(1);
});

it("focuses the input again after a wrong code, however early the next frame", async () => {
  const { user, input } = show({
    onVerify: () => Promise.reject(new ApiError({ status: 400, code: "otp_invalid" })),
  });
  await user.click(input);
  vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) => {
    callback(0);
    return 0;
  });
  const wasDisabled: boolean[] = [];
  vi.spyOn(input, "focus").mockImplementation(() => void wasDisabled.push(input.disabled));
  await user.keyboard("000000");
  await screen.findByRole("alert");
  await vi.waitFor(() => expect(wasDisabled).toEqual([false]));
  vi.unstubAllGlobals();
});

it("uses the specification's words for a wrong code when the service gives none", async () => {
  const { user, input } = show({ onVerify: () => Promise.reject(new ApiError({ status: 500 })) });
  await user.type(input, "000000");
  expect((await screen.findByRole("alert")).textContent).toBe("Impossible de vérifier le code OTP");
});

it("sends another code only once the wait is over", async () => {
  const { user, onResend } = show();
  await user.click(screen.getByRole("button", { name: "Renvoyer le code" }));
  expect(onResend).toHaveBeenCalledTimes(1);
});

it("says that the text message failed and where the code is instead", () => {
  show({ hasFallenBack: true });
  expect(screen.getByText(/Le SMS n’a pas pu partir/).textContent).toBe(
    "Le SMS n’a pas pu partir\u00a0: le code est envoyé à c•••@exemple.fr.",
  );
});

it("shows the wait for another code", () => {
  show({ resendAt: Date.now() + 41_000 });
  expect(screen.queryByRole("button", { name: "Renvoyer le code" })).toBeNull();
  expect(screen.getAllByRole("timer").at(-1)?.textContent).toMatch(/Renvoyer dans 4[01]\u00a0s/);
});

it("shows how long the code is valid, then that it has ended", async () => {
  show({ expiresAt: Date.now() + 580_000 });
  expect(
    screen.getAllByRole("timer").map((timer) => timer.textContent?.replaceAll("\u00a0", " ")),
  ).toContain("Expire dans 9 min 40 s");
  cleanup();
  show({ expiresAt: Date.now() - 1 });
  expect(screen.getByText(/Ce code a expiré/)).toBeTruthy();
});

it("takes no figures for an expired code, whose one act is to ask for another", async () => {
  const { user, input, onResend } = show({ expiresAt: Date.now() - 1 });
  expect([input.disabled, screen.queryByRole("button", { name: "Vérifier le code" })]).toEqual([
    true,
    null,
  ]);
  const renew = screen.getByRole("button", { name: "Renvoyer le code" });
  expect(document.activeElement).toBe(renew);
  await user.keyboard("{Enter}");
  expect(onResend).toHaveBeenCalledTimes(1);
});

it("stops the time of a code refused for the last time, and waits with the one act left", async () => {
  const { user, input } = show({
    resendAt: Date.now() + 32_000,
    onVerify: () =>
      Promise.reject(
        new ApiError({
          status: 400,
          code: "otp_invalid",
          sentence: "Code incorrect ou expiré. Demandez un nouveau code.",
          body: { attempts_left: 0 },
        }),
      ),
  });
  await user.type(input, "000000");
  expect((await screen.findByRole("alert")).textContent).toContain("Demandez un nouveau code.");
  expect([input.disabled, screen.queryByText(/Expire dans/)]).toEqual([true, null]);
  const renew = screen.getByRole("button", { name: /^Renvoyer le code/ });
  expect([document.activeElement, renew.getAttribute("aria-disabled")]).toEqual([renew, "true"]);
});
