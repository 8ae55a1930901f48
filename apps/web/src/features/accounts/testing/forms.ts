import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";

/** Pastes, because keystrokes are slow on a busy machine. `field`: an element, or its label. */
export async function fill(field: HTMLElement | string, text: string): Promise<void> {
  await userEvent.click(typeof field === "string" ? screen.getByLabelText(field) : field);
  await userEvent.paste(text);
}

export const buttonNamed = (name: string | RegExp): HTMLElement =>
  screen.getByRole("button", { name });

export const press = (name: string | RegExp): Promise<void> => userEvent.click(buttonNamed(name));

export const linkTo = (name: string): string | null =>
  screen.getByRole("link", { name }).getAttribute("href");
