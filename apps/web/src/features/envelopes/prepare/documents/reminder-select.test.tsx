import type { Envelope } from "@paraphe/contracts";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { draftChanges } from "../draft/draft-keeper.ts";
import { EMPTY_DRAFT, NEW_DRAFT, draftOf } from "../draft/draft.ts";
import { ReminderSelect } from "./reminder-select.tsx";

function show(remindEveryDays: number | null) {
  const chosen: unknown[] = [];
  render(<ReminderSelect value={remindEveryDays} onChange={(days) => chosen.push(days)} />);
  return {
    chosen,
    select: screen.getByRole("combobox", { name: "Rappel automatique" }) as HTMLSelectElement,
  };
}

test("a new envelope reminds every three days", () => {
  expect(NEW_DRAFT.remindEveryDays).toBe(3);
});

test("automatic reminders are off or every some days", async () => {
  const { chosen, select } = show(null);
  expect(select.selectedOptions[0]?.text).toBe("Aucun");
  await userEvent.selectOptions(select, "Tous les 3 jours");
  await userEvent.selectOptions(select, "Toutes les semaines");
  expect(chosen).toEqual([3, 7]);
});

test("a rhythm set elsewhere stays until it is changed", async () => {
  const { chosen, select } = show(4);
  expect(select.selectedOptions[0]?.text).toBe("Tous les 4 jours");
  await userEvent.selectOptions(select, "Aucun");
  expect(chosen).toEqual([null]);
});

test("the reminders are saved with the draft and read back", () => {
  const changes = draftChanges(
    { ...EMPTY_DRAFT, remindEveryDays: 5 },
    { dirty: new Set(["remindEveryDays"] as const), now: new Date(0) },
  );
  expect(changes?.body).toEqual({ reminders: { every_days: 5 } });
  const envelope = {
    title: "",
    message: null,
    deadline_at: null,
    flow: "parallel",
    recipients: [],
    fields: [],
  };
  const reminders = { every_days: 5, business_days: true, next_at: null };
  expect(draftOf({ ...envelope, reminders } as unknown as Envelope).remindEveryDays).toBe(5);
});
