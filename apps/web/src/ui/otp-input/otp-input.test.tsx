import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { OtpInput } from "./otp-input.tsx";

function Host({ onComplete }: { readonly onComplete: (code: string) => void }) {
  const [value, setValue] = useState("");
  return (
    <OtpInput
      label="Code à usage unique"
      value={value}
      onChange={setValue}
      onComplete={onComplete}
    />
  );
}

test("is one input that the phone can fill", () => {
  render(<Host onComplete={() => {}} />);
  const input = screen.getByLabelText("Code à usage unique");
  expect(input.getAttribute("autocomplete")).toBe("one-time-code");
  expect(input.getAttribute("inputmode")).toBe("numeric");
  expect(screen.getAllByRole("textbox")).toHaveLength(1);
});

test("accepts a pasted code with its spaces and completes once", async () => {
  const onComplete = vi.fn();
  render(<Host onComplete={onComplete} />);
  await userEvent.click(screen.getByRole("textbox"));
  await userEvent.paste(" 482\u202f719 ");
  expect(onComplete).toHaveBeenCalledExactlyOnceWith("482719");
});

test("drops what is not a digit and keeps six", async () => {
  const onComplete = vi.fn();
  render(<Host onComplete={onComplete} />);
  await userEvent.type(screen.getByRole("textbox"), "4a8-2 719 5");
  expect((screen.getByRole("textbox") as HTMLInputElement).value).toBe("482719");
  expect(onComplete).toHaveBeenCalledExactlyOnceWith("482719");
});
