import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../lib/api-error.ts";
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

describe("the one-time code", () => {
  it("is one input that the phone can fill", () => {
    const { input } = show();
    expect(screen.getAllByRole("textbox")).toHaveLength(1);
    expect([input.inputMode, input.autocomplete]).toEqual(["numeric", "one-time-code"]);
    expect(document.activeElement).toBe(input);
  });

  it("is taken from a paste with spaces and sent as soon as it is whole, once", async () => {
    const { user, input, onVerify } = show();
    await user.click(input);
    await user.paste("482 719");
    expect(onVerify).toHaveBeenCalledTimes(1);
    expect(onVerify).toHaveBeenCalledWith("482719");
  });

  it("is cleared and asked again when it is wrong, in the service's words", async () => {
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

  it("is sent once when Enter follows its sixth digit, and the refusal stays when Enter comes after it", async () => {
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

  it("takes the focus again once the wrong one is judged, however early the next frame comes", async () => {
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

  it("has the specification's words when the service gives none", async () => {
    const { user, input } = show({ onVerify: () => Promise.reject(new ApiError({ status: 500 })) });
    await user.type(input, "000000");
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Impossible de vérifier le code OTP",
    );
  });

  it("can be sent again only once the wait is over", async () => {
    const { user, onResend } = show();
    await user.click(screen.getByRole("button", { name: "Renvoyer le code" }));
    expect(onResend).toHaveBeenCalledTimes(1);
  });

  it("says that the text could not go and where the code is instead", () => {
    show({ hasFallenBack: true });
    expect(screen.getByText(/Le SMS n’a pas pu partir/).textContent).toBe(
      "Le SMS n’a pas pu partir\u00a0: le code est envoyé à c•••@exemple.fr.",
    );
  });

  it("shows the wait while it lasts", () => {
    show({ resendAt: Date.now() + 41_000 });
    expect(screen.queryByRole("button", { name: "Renvoyer le code" })).toBeNull();
    expect(screen.getAllByRole("timer").at(-1)?.textContent).toMatch(/Renvoyer dans 4[01]\u00a0s/);
  });

  it("says how long the code still serves, then that it has ended", async () => {
    show({ expiresAt: Date.now() + 580_000 });
    expect(
      screen.getAllByRole("timer").map((timer) => timer.textContent?.replaceAll("\u00a0", " ")),
    ).toContain("Expire dans 9 min 40 s");
    cleanup();
    show({ expiresAt: Date.now() - 1 });
    expect(screen.getByText(/Ce code a expiré/)).toBeTruthy();
  });
});
